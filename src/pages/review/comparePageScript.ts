// Moves the edge between before and after. Without it half of each is shown.
export const comparePageScript = `
for (const range of document.querySelectorAll('.pair input'))
  range.addEventListener('input', () => range.closest('.pair').style.setProperty('--at', range.value + '%'));
`;
