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
export const fillerWords = new Set('the a an that which says saying labelled labeled called named this our your my'.split(' '));

/** What a name is of: something to act on, to type into, or to choose. */
export type NameKind = 'control' | 'field' | 'choice';

/**
 * What a name may say beyond the description and still be the same thing. Whatever is not here makes it another one:
 * there is no end to the words that do harm ("Terminate account", "Pay later"), and these do none.
 */
const additions: Readonly<Record<NameKind, readonly RegExp[]>> = {
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
export function removeAdditions(words: readonly string[], asked: readonly string[], of: NameKind): string[] {
  const core = words.filter((word) => !addsNothing(word, asked));
  for (const addition of additions[of]) {
    const text = core.join(' ');
    const less = text.replace(addition, '').trim().split(' ');
    const added = addition.exec(text)?.[0].trim().split(' ') ?? [];
    if (less[0] !== '' && !added.some((word) => asked.includes(word))) core.splice(0, core.length, ...less);
  }
  return core;
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

export const describedTypes = new Set([
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

/** Letters with their marks, numbers with what stands between their digits, and symbols: "C++" is not "C", nor "€10" "$10". */
const wordPattern =
  /\(\d+\+?\)|(?:[\p{L}\p{M}\p{N}]|(?<=\p{N})[.,:](?=\p{N}))+|(?<![\p{L}\p{N}])-(?=\p{N})|[\p{Sm}\p{Sc}\p{So}%]|(?<=\p{L})#/gu;

export function wordsOf(text: string): string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/\[(\d+\+?)\]/g, ' ($1)');
  const plain = spaced
    .normalize('NFKC')
    .replace(/[\u200d\ufe0e\ufe0f]/g, '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .toLowerCase()
    .replace(/e-mail/g, 'email');
  return plain.match(wordPattern) ?? symbolsOf(plain);
}

/** What stands by itself and is neither a word nor a quote: a button may say just "?". */
export function symbolsOf(text: string): string[] {
  return text.match(/(?<![^\s"'“”‘’«»`])[^\p{L}\p{N}\s"'“”‘’«»`]+(?![^\s"'“”‘’«»`])/gu) ?? [];
}

/** Whether it says something that can be read out, not just symbols. */
export function hasLetters(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

const isCount = (word: string): boolean => /^\(\d+\+?\)$/.test(word);

/** Arrows and the like beside a name; other symbols may say what happens. */
const isOrnament = (word: string): boolean => /^[→←↑↓➔➜›‹▸▾▼▶>🔍🔎⚙®©]$/u.test(word);

/** How many there are is no part of a name ("Basket (2)"), unless the description counts, too: "Room (2)" is not "Room (1)". */
function addsNothing(word: string, asked: readonly string[]): boolean {
  if (isCount(word)) return !asked.some(isCount);
  return (fillerWords.has(word) || isOrnament(word)) && !asked.includes(word);
}
