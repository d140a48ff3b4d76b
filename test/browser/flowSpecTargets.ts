// Pages whose elements were renamed, moved or doubled since a selector was pinned, and what a description means on them.

/** `means`: the id of the one element that is meant; undefined when it has to be refused. */
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

export const found: readonly TargetCase[] = [
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

export const refused: readonly TargetCase[] = [
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
