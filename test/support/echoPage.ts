// A form that is submitted with GET to a page that prints the submitted value as text.
const answer = `<style>*{font:16px monospace}</style><title>Echo</title><p>You sent</p><output></output>
<script>document.querySelector('output').textContent = new URLSearchParams(location.search).get('token') + ' ' + location.search.split('&')[0]</script>`;

export const echoPage = `<title>Form</title><form><input name=token data-testid=token>
<input type=hidden name=html value="${answer.replaceAll('"', '&quot;')}"><button>Send</button></form>`;

export const echoNodes = {
  fill: { action: 'ui.set_input', test_id: 'token', value: '{{inputs.pw}}' },
  send: { action: 'ui.press', text: 'Send', proofTarget: 'AC1' },
  see: { action: 'ui.wait_for', text: 'You sent', proofTarget: 'AC1' },
  shot: { action: 'ui.screenshot', proofTarget: 'AC1' },
};

export const echoInputs = { pw: { type: 'secret-ref', ref: 'env:PW' } };

/** Two secrets that have the same width in every spelling. */
export const echoSecrets = ['s3cr3t-VALUE&1', 'WXYZ98-qpKLM&7'] as const;
