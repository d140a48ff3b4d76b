// Search over the recipes of a suite. Without it the page says the same.
export const suiteScript = `
const rows = [...document.querySelectorAll('tr.recipe')];
const search = document.getElementById('search');
const show = document.getElementById('show');
const found = document.getElementById('found');
function filter() {
  const word = search.value.trim().toLowerCase();
  let count = 0;
  for (const row of rows) {
    const fits = (show.value === 'all' || row.dataset.is.split(' ').includes(show.value)) && row.textContent.toLowerCase().includes(word);
    row.hidden = !fits;
    if (fits) count++;
  }
  found.textContent = count + (count === 1 ? ' recipe' : ' recipes');
}
search.addEventListener('input', filter);
show.addEventListener('change', filter);
`;
