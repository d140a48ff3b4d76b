import { defineAction, defineSetup, z } from 'recipewright';
import { slugOf } from './slug.mjs';

const slug = defineAction({
  name: 'blog.slug',
  description: "Asks the blog's own function for the address of a title.",
  schema: z.strictObject({ title: z.string() }),
  examples: [{ description: 'A title with an accent.', node: { action: 'blog.slug', title: 'Café' } }],
  effect: 'reads',
  async run({ title }) {
    return { output: { slug: slugOf(title) } };
  },
});

export default defineSetup({ actions: [slug] });
