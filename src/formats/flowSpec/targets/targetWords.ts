// The vocabulary of descriptions and names: kinds of elements, synonyms, and words that do not identify an element.

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

/** `control`: to click. `field`: to type into. `choice`: to select, such as a checkbox. */
export type NameKind = 'control' | 'field' | 'choice';

/**
 * Words that a name may have in addition to the description. Any other word can mean another element ("Terminate account", "Pay
 * later").
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

/** Removes the additions from the words of a name, unless the description also has them. */
export function removeAdditions(words: readonly string[], wanted: readonly string[], nameKind: NameKind): string[] {
  let coreWords = words.filter((word) => !isInsignificant(word, wanted));
  for (const addition of additions[nameKind]) {
    const text = coreWords.join(' ');
    const remaining = text.replace(addition, '').trim().split(' ');
    const removed = addition.exec(text)?.[0].trim().split(' ') ?? [];
    if (remaining[0] !== '' && !removed.some((word) => wanted.includes(word))) coreWords = remaining;
  }
  return coreWords;
}

/** Written without spaces. */
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

/** Words, numbers with separators, and symbols, so that "C++" differs from "C" and "€10" from "$10". */
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

/** Returns separate symbols that are not quotes: the name of a button can be just "?". */
export function symbolsOf(text: string): string[] {
  return text.match(/(?<![^\s"'“”‘’«»`])[^\p{L}\p{N}\s"'“”‘’«»`]+(?![^\s"'“”‘’«»`])/gu) ?? [];
}

export function hasLetters(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

const isCount = (word: string): boolean => /^\(\d+\+?\)$/.test(word);

/** Arrows and icons next to a name. Other symbols can have a meaning. */
const isOrnament = (word: string): boolean => /^[→←↑↓➔➜›‹▸▾▼▶>🔍🔎⚙®©]$/u.test(word);

/** A count is not part of a name ("Basket (2)"), unless the description also has a count: "Room (2)" is not "Room (1)". */
function isInsignificant(word: string, wanted: readonly string[]): boolean {
  if (isCount(word)) return !wanted.some(isCount);
  return (fillerWords.has(word) || isOrnament(word)) && !wanted.includes(word);
}
