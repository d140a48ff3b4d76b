// An agent can be a program in any language: it reads the request as JSON from stdin and writes its answer as JSON to stdout.
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { inputs, config } = JSON.parse(Buffer.concat(chunks).toString());
const sections = ['origin', 'making', 'taste'].slice(0, config.sections);
process.stdout.write(JSON.stringify({ sections: sections.map((part) => `the ${part} of ${inputs.topic}`) }));
