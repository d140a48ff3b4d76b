// The words of descriptions and names: kinds of elements, what means the same, and what adds nothing to a meaning.

type Kind = readonly [words: readonly string[], roles: readonly string[]];

export const kinds: readonly Kind[] = [
  [['button', 'btn'], ['button']],
  [['link', 'hyperlink'], ['link']],
  [
    ['field', 'input', 'textbox', 'box', 'textarea', 'area'],
    ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  ],
  [
    ['checkbox', 'tickbox'],
    ['checkbox', 'switch'],
  ],
  [
    ['radio', 'option'],
    ['radio', 'option'],
  ],
  [
    ['dropdown', 'select', 'combobox', 'picker', 'selector'],
    ['combobox', 'listbox'],
  ],
  [
    ['toggle', 'switch'],
    ['switch', 'checkbox', 'button'],
  ],
  [['tab'], ['tab']],
  [
    ['menu', 'menuitem'],
    ['menuitem', 'button', 'link'],
  ],
  [['slider'], ['slider']],
  [
    ['image', 'picture', 'logo', 'icon'],
    ['img', 'link', 'button'],
  ],
  [['heading', 'title', 'headline'], ['heading']],
  [['section', 'region'], ['region']],
];
export const noise = new Set('the a an that which says saying labelled labeled called named this our your my'.split(' '));

/** What a name is of: something to act on, to type into, or to choose. */
export type NameOf = 'control' | 'field' | 'choice';

/**
 * What a name may say beyond the description and still be the same thing. Whatever is not here makes it another one:
 * there is no end to the words that do harm ("Terminate account", "Pay later"), and these do none.
 */
const additions: Readonly<Record<NameOf, readonly RegExp[]>> = {
  control: [
    /^(view|see|show|browse|visit|manage|go to|proceed to) /,
    /^(open|toggle) (?=(main )?(navigation|nav|menu|settings|preferences|sidebar|search|filters?|options|calendar|help)$)/,
    /(?<=^(close|dismiss|hide)) (dialog|modal|popup|window|panel|banner|overlay|drawer|notification|message)$/,
    / (now|today|here|changes|button|btn|link)$/,
  ],
  field: [
    /^(please )?(enter|type|write|leave|add|provide|choose|select|pick|insert|input) /,
    / (optional|required|here|field|input|box)$/,
  ],
  choice: [
    /^(yes )?(i|we) (have read and |would like to |want to )?(read|agree to|agree with|accept|consent to|receive)? ?/,
    /^(receive|subscribe to) /,
    / and conditions$/,
  ],
};

/** The words without what adds nothing to them, unless it was asked for. */
export function coreOf(words: readonly string[], asked: readonly string[], of: NameOf): string[] {
  const kept = words.filter((word) => !noise.has(word) || asked.includes(word));
  for (const addition of additions[of]) {
    const text = kept.join(' ');
    const less = text.replace(addition, '').trim().split(' ');
    const added = addition.exec(text)?.[0].trim().split(' ') ?? [];
    if (less[0] !== '' && !added.some((word) => asked.includes(word))) kept.splice(0, kept.length, ...less);
  }
  return kept;
}

/** Different words for the same thing, each written as one. */
export const synonyms: readonly (readonly string[])[] = [
  ['signin', 'login', 'logon'],
  ['signup', 'register', 'createaccount', 'createanaccount', 'createyouraccount', 'join'],
  ['signout', 'logout', 'logoff'],
  ['cart', 'basket', 'bag'],
  ['email', 'emailaddress', 'mail'],
  ['phone', 'telephone', 'phonenumber', 'mobile'],
  ['search', 'find'],
  ['delete', 'remove'],
  ['next', 'continue'],
  ['submit', 'send'],
  ['checkout', 'proceedtocheckout'],
];

export const typed = new Set([
  'email',
  'password',
  'search',
  'tel',
  'url',
  'date',
  'time',
  'number',
  'file',
  'submit',
  'reset',
  'color',
]);

export function wordsOf(text: string): string[] {
  // How many there are is no part of a name: "Basket (2)".
  const spaced = text.replace(/[([]\d+\+?[)\]]/g, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return (
    spaced
      .normalize('NFKC')
      .toLowerCase()
      .replace(/e-mail/g, 'email')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
