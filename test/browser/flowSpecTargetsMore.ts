// A second set: whole pages as people build them, and names that say more than was asked for.
import type { TargetCase } from './flowSpecTargets.js';

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

export const foundMore: readonly TargetCase[] = [
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

export const refusedMore: readonly TargetCase[] = [
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
