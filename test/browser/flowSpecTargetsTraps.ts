// Elements whose names have the words of a description and say something else: none of them may be touched.
import type { TargetCase } from './flowSpecTargets.js';

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

export const saysMore: readonly TargetCase[] = [
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
