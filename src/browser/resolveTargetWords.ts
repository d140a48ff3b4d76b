// The words of descriptions and names: kinds of elements, what means the same, and what changes a meaning.

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

/** Words that turn the meaning of a name around: an element with one of them is meant only when the description has it, too. */
export const reversals = new Set('not no never don dont doesn without reject decline deny disagree cancel undo skip'.split(' '));

/** "Clear cart" is not what "the cart button" means. In the name of a field they do no harm. */
export const destructive = new Set(
  'delete remove clear empty erase discard destroy reset revoke unsubscribe close deactivate disable leave'.split(' '),
);
/** "Remove all" is more than "the remove button" means. */
export const wideners = new Set('all every everything everywhere everyone'.split(' '));
export const widened = new Set([...destructive, 'out', 'logout', 'signout']);

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
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return (
    spaced
      .normalize('NFKC')
      .toLowerCase()
      .replace(/e-mail/g, 'email')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
