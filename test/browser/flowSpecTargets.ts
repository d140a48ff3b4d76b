// Pages for descriptions of targets, and the element that each description means.

/** `means`: the id of the right element. Undefined when the description must be refused. */
export type TargetCase = { html: string; target: string; means?: string; fill?: true };

const nav = '<nav><a id="home" href="/">Home</a> <a id="in" href="/in">Sign in</a> <a id="up" href="/up">Sign up</a></nav>';
const login = `<form><label for="e">E-mail address</label><input id="e" type="email"><label for="p">Password</label>
  <input id="p" type="password"><input id="r" type="checkbox"><label for="r">Remember me</label>
  <button id="s" type="submit">Log in</button><a id="f" href="/f">Forgot your password?</a></form>`;
const shop = `<input id="q" type="search" placeholder="Search products"><button id="go" aria-label="Search">🔍</button>
  <button id="add">Add to cart</button><button id="wish">Add to wishlist</button><a id="cart" href="/cart">Basket (2)</a>
  <select id="size" aria-label="Size"><option>S</option></select><button id="out">Proceed to checkout</button>`;
const rows = `<table><tr><td>Kettle</td><td><button id="d1">Delete</button></td></tr><tr><td>Cup</td><td><button id="d2">Delete</button></td></tr></table>`;
const named = `<table><tr><td><button id="n1" aria-label="Delete Kettle">x</button></td><td><button id="n2" aria-label="Delete Cup">x</button></td></tr></table>`;
const icons = `<button id="menu"><img alt="Main menu"></button><button id="close" title="Close dialog">×</button>
  <button id="tid" data-testid="open-settings-button">⚙</button><div id="fake" onclick="1" >Subscribe now</div>`;
const hidden = '<div style="display:none"><button id="old">Continue</button></div><button id="new">Continue</button>';
const profile = `<h2>Billing address</h2><label>First name <input id="first"></label><label>Last name <input id="last"></label>
  <label>Phone <input id="tel" type="tel"></label><label>Street <input id="street"></label><textarea id="note" placeholder="Leave a note"></textarea>
  <label><input id="terms" type="checkbox"> I accept the terms and conditions</label><button id="save">Save changes</button><button id="cancel">Cancel</button>`;
const tabs = `<div role="tablist"><button role="tab" id="t1">Details</button><button role="tab" id="t2">Reviews</button></div><section id="reviews" aria-label="Reviews"><h3>Reviews</h3></section>`;
const shadow = `<x-box></x-box><script>customElements.define('x-box', class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<button id="deep">Accept cookies</button><button id="no">Reject cookies</button>' } })</script>`;

export const foundTargets: readonly TargetCase[] = [
  { html: nav, target: 'the sign-up button', means: 'up' },
  { html: nav, target: 'the signup link', means: 'up' },
  { html: nav, target: 'the register button', means: 'up' },
  { html: nav, target: 'the login link', means: 'in' },
  { html: nav, target: 'Sign in', means: 'in' },
  { html: nav, target: 'the home link', means: 'home' },
  { html: login, target: 'the email field', means: 'e', fill: true },
  { html: login, target: 'the password field', means: 'p', fill: true },
  { html: login, target: 'the submit button', means: 's' },
  { html: login, target: 'the sign-in button', means: 's' },
  { html: login, target: 'the login button', means: 's' },
  { html: login, target: 'the forgot password link', means: 'f' },
  { html: login, target: 'the remember me checkbox', means: 'r' },
  { html: '<input id="x" type="password">', target: 'the password field', means: 'x', fill: true },
  { html: '<input id="x" name="email">', target: 'the email field', means: 'x', fill: true },
  { html: '<input id="x" placeholder="Your email">', target: 'the email field', means: 'x', fill: true },
  { html: shop, target: 'the search field', means: 'q', fill: true },
  { html: shop, target: 'the search box', means: 'q', fill: true },
  { html: shop, target: 'the search button', means: 'go' },
  { html: shop, target: 'the add to cart button', means: 'add' },
  { html: shop, target: 'the wishlist button', means: 'wish' },
  { html: shop, target: 'the basket link', means: 'cart' },
  { html: shop, target: 'the size dropdown', means: 'size', fill: true },
  { html: shop, target: 'the checkout button', means: 'out' },
  { html: named, target: 'the delete cup button', means: 'n2' },
  { html: named, target: 'the "Delete Kettle" button', means: 'n1' },
  { html: icons, target: 'the main menu button', means: 'menu' },
  { html: icons, target: 'the close button', means: 'close' },
  { html: icons, target: 'the settings button', means: 'tid' },
  { html: icons, target: 'the subscribe button', means: 'fake' },
  { html: hidden, target: 'the continue button', means: 'new' },
  { html: hidden, target: 'the next button', means: 'new' },
  { html: profile, target: 'the first name field', means: 'first', fill: true },
  { html: profile, target: 'the last name input', means: 'last', fill: true },
  { html: profile, target: 'the phone field', means: 'tel', fill: true },
  { html: profile, target: 'the note field', means: 'note', fill: true },
  { html: profile, target: 'the terms checkbox', means: 'terms' },
  { html: profile, target: 'the save button', means: 'save' },
  { html: profile, target: 'the cancel button', means: 'cancel' },
  { html: profile, target: 'the street field', means: 'street', fill: true },
  { html: tabs, target: 'the reviews tab', means: 't2' },
  { html: tabs, target: 'the reviews section', means: 'reviews' },
  { html: shadow, target: 'the accept cookies button', means: 'deep' },
  { html: '<button id="only">Weiter →</button>', target: 'the button', means: 'only' },
  { html: '<a id="b" href="/x" role="button">Buy now</a>', target: 'the buy now button', means: 'b' },
  {
    html: '<button id="a">Download PDF</button><button id="b">Download CSV</button>',
    target: 'the CSV download button',
    means: 'b',
  },
];

export const refusedTargets: readonly TargetCase[] = [
  { html: rows, target: 'the delete button' },
  { html: nav, target: 'the link' },
  { html: nav, target: 'the sign-out button' },
  { html: '<button>Sign in</button><button>Sign out</button>', target: 'the sign-up button' },
  { html: shop, target: 'the add button' },
  { html: profile, target: 'the name field', fill: true },
  { html: '<button>Save</button><button>Save</button>', target: 'the save button' },
  { html: '<button>Delete account</button>', target: 'the account settings button' },
  { html: '<button>Cancel order</button>', target: 'the order button that confirms' },
  { html: '<h1>Sign up</h1>', target: 'the sign-up button' },
  { html: '<p>Sign up</p>', target: 'the sign-up button' },
  { html: login, target: 'the credit card number field', fill: true },
  { html: '<button>Pay now</button><a href="/p">Pay now</a>', target: 'pay now' },
  { html: '<button>Download PDF</button><button>Download CSV</button>', target: 'the download button' },
  { html: '<input type="password"><input type="password">', target: 'the password field', fill: true },
  { html: '<button>Do not accept</button>', target: 'the accept button' },
  { html: "<button>Don't delete</button><button>Cancel delete</button>", target: 'the delete button' },
  { html: '', target: 'the sign-up button' },
];

// A second set: whole pages, and names with more words than the description.

const account = `<header><a id="logo" href="/"><img alt="Acme"></a><button id="burger" aria-label="Open navigation">≡</button></header>
  <nav aria-label="Account"><a id="orders" href="/o">My orders</a><a id="addr" href="/a">Addresses</a><a id="pay" href="/p">Payment methods</a>
  <a id="leave" href="/out">Log out</a></nav><main><h1>Your account</h1><button id="edit">Edit profile</button><button id="pw">Change password</button>
  <button id="gone" class="danger">Delete my account</button></main>`;
const checkout = `<form><fieldset><legend>Delivery</legend><label for="zip">Postal code</label><input id="zip" name="postal_code">
  <label for="city">City</label><input id="city"><label>Country <select id="land"><option>Iceland</option></select></label></fieldset>
  <fieldset><legend>Payment</legend><input id="num" placeholder="Card number" inputmode="numeric"><input id="exp" placeholder="MM / YY" aria-label="Expiry date">
  <input id="cvc" placeholder="CVC" data-testid="card-cvc-input"></fieldset><label><input type="radio" name="s" id="std"> Standard shipping</label>
  <label><input type="radio" name="s" id="expr"> Express shipping</label><input id="promo" name="promo_code"><button type="button" id="apply">Apply</button>
  <button id="place" type="submit">Place order</button><a id="back" href="/cart">Back to cart</a></form>`;
const list = `<input id="filter" type="search" aria-label="Filter issues"><button id="new">New issue</button><ul>
  <li><a id="i1" href="/1">Login page is slow</a><button id="c1" aria-label="Close issue 1">✓</button></li>
  <li><a id="i2" href="/2">Search is broken</a><button id="c2" aria-label="Close issue 2">✓</button></li></ul>
  <nav aria-label="Pages"><a id="prev" href="?1">Previous</a><a id="nxt" href="?3">Next</a></nav>`;
const modal = `<div role="dialog" aria-label="Cookies"><p>We use cookies.</p><button id="all">Accept all</button><button id="none">Reject all</button>
  <button id="set">Manage preferences</button></div><footer><a id="news" href="/n">Newsletter</a><a id="priv" href="/p">Privacy policy</a></footer>`;
const player = `<button id="play" aria-label="Play">▶</button><button id="mute" aria-label="Mute">🔇</button><input id="vol" type="range" aria-label="Volume">
  <button id="full" title="Full screen"><svg></svg></button><div role="switch" tabindex="0" id="auto" aria-label="Autoplay"></div>`;

const german = `<form><label>Adresse <input id="adr" type="email"></label><label>Kennwort <input id="kw" type="password"></label><button id="los">Anmelden</button></form>
  <button>Konto löschen</button>`;
const passwords = `<label>Password <input id="pass" type="password"></label><label>Confirm password <input id="again" type="password"></label>`;
const one = (...names: string[]): string =>
  `<a href="/x">Help</a>${names.map((name, index) => `<button id="b${index}">${name}</button>`).join('')}`;

export const moreFoundTargets: readonly TargetCase[] = [
  { html: account, target: 'the my orders link', means: 'orders' },
  { html: account, target: 'the orders link', means: 'orders' },
  { html: account, target: 'the logout link', means: 'leave' },
  { html: account, target: 'the sign-out button', means: 'leave' },
  { html: account, target: 'the edit profile button', means: 'edit' },
  { html: account, target: 'the change password button', means: 'pw' },
  { html: account, target: 'the delete account button', means: 'gone' },
  { html: account, target: 'the payment methods link', means: 'pay' },
  { html: account, target: 'the navigation button', means: 'burger' },
  { html: account, target: 'the Acme logo', means: 'logo' },
  { html: checkout, target: 'the postal code field', means: 'zip', fill: true },
  { html: checkout, target: 'the city field', means: 'city', fill: true },
  { html: checkout, target: 'the country dropdown', means: 'land', fill: true },
  { html: checkout, target: 'the card number field', means: 'num', fill: true },
  { html: checkout, target: 'the expiry date field', means: 'exp', fill: true },
  { html: checkout, target: 'the CVC field', means: 'cvc', fill: true },
  { html: checkout, target: 'the promo code field', means: 'promo', fill: true },
  { html: checkout, target: 'the express shipping option', means: 'expr' },
  { html: checkout, target: 'the apply button', means: 'apply' },
  { html: checkout, target: 'the place order button', means: 'place' },
  { html: checkout, target: 'the back to cart link', means: 'back' },
  { html: list, target: 'the filter field', means: 'filter', fill: true },
  { html: list, target: 'the new issue button', means: 'new' },
  { html: list, target: 'the "Search is broken" link', means: 'i2' },
  { html: list, target: 'the close issue 2 button', means: 'c2' },
  { html: list, target: 'the next link', means: 'nxt' },
  { html: modal, target: 'the accept all button', means: 'all' },
  { html: modal, target: 'the reject all button', means: 'none' },
  { html: modal, target: 'the privacy policy link', means: 'priv' },
  { html: modal, target: 'the preferences button', means: 'set' },
  { html: player, target: 'the play button', means: 'play' },
  { html: player, target: 'the volume slider', means: 'vol' },
  { html: player, target: 'the full screen button', means: 'full' },
  { html: player, target: 'the autoplay toggle', means: 'auto' },
  { html: one('View cart', 'Clear cart'), target: 'the cart button', means: 'b0' },
  { html: one('Go to your account', 'Terminate account'), target: 'the account button', means: 'b0' },
  { html: one('Pay now', 'Pay later'), target: 'the pay button', means: 'b0' },
  { html: one('Sign in', 'Sign in with Google'), target: 'the login button', means: 'b0' },
  { html: one('Sign in', 'Sign in with Google'), target: 'the sign in with Google button', means: 'b1' },
  { html: one('Save', 'Save as draft'), target: 'the save button', means: 'b0' },
  { html: one('Transfer funds', 'Transfer all funds'), target: 'the transfer funds button', means: 'b0' },
  { html: one('+', '−', '?', '…', '×'), target: 'the + button', means: 'b0' },
  { html: one('+', '−', '?', '…', '×'), target: 'the "-" button', means: 'b1' },
  { html: one('+', '−', '?', '…', '×'), target: 'the ? button', means: 'b2' },
  { html: one('+', '−', '?', '…', '×'), target: 'the × button', means: 'b4' },
  { html: one('€10', '$10'), target: 'the €10 button', means: 'b0' },
  { html: one('C', 'C++', 'C#'), target: 'the C# button', means: 'b2' },
  { html: one('C', 'C++', 'C#'), target: 'the C button', means: 'b0' },
  { html: one('दान', 'दिन'), target: 'the दिन button', means: 'b1' },
  { html: one('Room (1)', 'Room (2)'), target: 'the Room (2) button', means: 'b1' },
  { html: one('🔍 Search', 'Next →', 'Inbox (12)'), target: 'the search button', means: 'b0' },
  { html: one('🔍 Search', 'Next →', 'Inbox (12)'), target: 'the next button', means: 'b1' },
  { html: one('🔍 Search', 'Next →', 'Inbox (12)'), target: 'the inbox button', means: 'b2' },
  { html: '<button id="g" data-testid="open-settings">⚙️</button>', target: 'the settings button', means: 'g' },
  { html: german, target: 'the password field', means: 'kw', fill: true },
  { html: german, target: 'the email field', means: 'adr', fill: true },
  { html: german, target: 'the submit button', means: 'los' },
  { html: passwords, target: 'the password field', means: 'pass', fill: true },
  { html: passwords, target: 'the confirm password field', means: 'again', fill: true },
  {
    html: '<label><input id="nl" type="checkbox"> Subscribe to the newsletter</label>',
    target: 'the newsletter checkbox',
    means: 'nl',
  },
  { html: '<label>Email (optional) <input id="m"></label>', target: 'the email field', means: 'm', fill: true },
  { html: '<input id="n" aria-label="Enter your name">', target: 'the name field', means: 'n', fill: true },
];

export const moreRefusedTargets: readonly TargetCase[] = [
  { html: list, target: 'the close button' },
  { html: list, target: 'the issue link' },
  { html: account, target: 'the account button' },
  { html: account, target: 'the password field', fill: true },
  { html: checkout, target: 'the shipping option' },
  { html: modal, target: 'the all button' },
  { html: player, target: 'the pause button' },
  { html: one('Room (1)', 'Room (2)'), target: 'the room button' },
  { html: one('Clear cart'), target: 'the cart button' },
  { html: one('Empty basket'), target: 'the basket button' },
  { html: one('Remove all'), target: 'the remove button' },
  { html: one('Delete all files'), target: 'the delete files button' },
  { html: one('Unsubscribe'), target: 'the subscribe button' },
  { html: one('Reset settings'), target: 'the settings button' },
  { html: one('Close account'), target: 'the account button' },
  { html: one('Leave group'), target: 'the group button' },
  { html: one('Discard changes'), target: 'the changes button' },
  { html: one('Disable notifications'), target: 'the notifications button' },
  { html: one('Log out of all devices'), target: 'the log out button' },
];

// Names that contain the words of a description but mean something else. None of these elements may be used.

const traps: Readonly<Record<string, readonly string[]>> = {
  'the account button': [
    'Terminate account',
    'Wipe account',
    'Open account',
    'Account deletion',
    'Suspend my account',
    'Konto account',
  ],
  'the subscription button': [
    'Stop subscription',
    'Pause subscription',
    'Abonnement subscription beenden',
    'End subscription now',
  ],
  'the order button': ['Abort order', 'Refuse order', 'Order again', 'Reorder', 'Return order', 'Place order'],
  'the user button': ['Block user', 'Ban user', 'Report user', 'Mute this user'],
  'the cart button': ['Add to cart', 'Flush cart', 'Save cart for later', 'Buy cart'],
  'the transfer funds button': ['Transfer all funds', 'Transfer funds abroad', 'Transfer', 'Funds'],
  'the pay button': ['Pay later', 'Pay with card', 'Pay all', 'Prepay', 'Auto-pay'],
  'the continue button': ['Continue with Google', 'Continue as guest', 'Continue later'],
  'the sign-in button': ['Sign in with Google', 'Sign in as admin', 'Log in elsewhere'],
  'the sign in with Google button': ['Sign in', 'Sign in with Apple', 'Google'],
  'the save button': ['Save as draft', 'Save and publish', 'Save for later', 'Autosave'],
  'the send button': ['Send to everyone', 'Send money', 'Resend', 'Send later'],
  'the submit button': ['Delete account', 'Submit cancellation', 'Withdraw'],
  'the accept button': ['Accept all', 'Accept and pay', 'Unaccept'],
  'the move from A to B button': ['Move from B to A'],
  'the position button': ['Open position', 'Liquidate position'],
  'the + button': ['Delete', '−', '++'],
  'the "?" button': ['Delete', '!'],
  'the - button': ['Delete', '+'],
  'the … button': ['Delete'],
  'the €10 button': ['$10', '10', '€1.0', '€100'],
  'the 15 button': ['1.5', '-15', '+15', '15%'],
  'the C++ button': ['C#', 'C', 'C+'],
  'the C# button': ['C++', 'C'],
  'the C button': ['C++', 'C#'],
  'the दिन button': ['दान'],
  'the Room (2) button': ['Room (1)', 'Room', 'Room [12]'],
  'the profile button': ['❌ Profile', '🗑️ Profile'],
  'the next button': ['Next year', 'Next: pay', 'Skip to next'],
};

const fields: Readonly<Record<string, readonly string[]>> = {
  'the password field': ['Confirm password', 'New password', 'Password hint', 'Repeat your password', 'Master password'],
  'the email field': ['Confirm e-mail', 'Backup email', "Friend's mail", 'E-Mailbestätigung'],
  'the name field': ['Company name', 'Name on card', 'Maiden name'],
  'the amount field': ['Maximum amount', 'Amount in cents'],
};

const button = (name: string): string => `<a href="/x">Help</a><button>${name}</button>`;
const labelled = (label: string, type: string): string => `<label>${label} <input type="${type}"></label>`;
const typeFor = (target: string): string => /password|email/.exec(target)?.[0] ?? 'text';

export const misleadingTargets: readonly TargetCase[] = [
  ...Object.entries(traps).flatMap(([target, names]) => names.map((name) => ({ html: button(name), target }))),
  ...Object.entries(fields).flatMap(([target, labels]) =>
    labels.map((label): TargetCase => ({ html: labelled(label, typeFor(target)), target, fill: true })),
  ),
  {
    html: '<label>Confirm password <input type="password" placeholder="Password"></label>',
    target: 'the password field',
    fill: true,
  },
  { html: '<input aria-label="New password" name="password">', target: 'the password field', fill: true },
  { html: '<button id="account">Terminate</button>', target: 'the account button' },
  { html: '<button data-testid="account-button">Wipe</button>', target: 'the account button' },
  { html: '<button data-testid="remove-picture">×</button>', target: 'the remove button' },
  { html: '<button aria-label="Delete 3 files">×</button>', target: 'the delete files button' },
  { html: '<form><button>Delete account</button></form>', target: 'the submit button' },
  { html: '<label><input type="checkbox"> No newsletter please</label>', target: 'the newsletter checkbox' },
  { html: '<label><input type="checkbox"> Stop the newsletter</label>', target: 'the newsletter checkbox' },
  { html: '<label><input type="checkbox"> I do not accept the terms</label>', target: 'the terms checkbox' },
];
