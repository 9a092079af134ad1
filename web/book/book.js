// book.js: the search. Words of the index that begin with what was typed; sections whose headings have them come first.
(() => {
  const base = document.body.dataset.base;
  const input = document.getElementById('search');
  const found = document.getElementById('found');
  const side = document.querySelector('.side');
  if (matchMedia('(max-width: 820px)').matches) side.open = false;
  const simple = (text) => text.toLowerCase();
  const kMost = 12;

  function score(section, words) {
    const title = simple(`${section.title} ${section.heading ?? ''}`);
    const text = simple(section.text);
    let points = 0;
    for (const word of words) {
      const in_title = title.includes(word);
      const times = text.split(word).length - 1;
      if (!in_title && times === 0) return 0;
      points += (in_title ? 20 : 0) + Math.min(times, 5);
    }
    return points;
  }

  function excerpt(section, words) {
    const at = Math.max(0, simple(section.text).indexOf(words[0]) - 40);
    const piece = document.createElement('small');
    const text = (at > 0 ? '… ' : '') + section.text.slice(at, at + 130) + (at + 130 < section.text.length ? ' …' : '');
    const first = simple(text).indexOf(words[0]);
    if (first < 0) piece.textContent = text;
    else {
      const mark = document.createElement('mark');
      mark.textContent = text.slice(first, first + words[0].length);
      piece.append(text.slice(0, first), mark, text.slice(first + words[0].length));
    }
    return piece;
  }

  function search() {
    const words = simple(input.value).split(/\s+/).filter((word) => word.length > 1);
    const hits = words.length === 0 ? [] : window.isoldeSections
      .map((section) => [score(section, words), section])
      .filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0])
      .slice(0, kMost);
    found.replaceChildren(...hits.map(([, section]) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = `${base}/${section.page}${section.at ? `#${section.at}` : ''}`;
      link.append(section.heading ? `${section.title}: ${section.heading}` : section.title, excerpt(section, words));
      item.append(link);
      return item;
    }));
    if (words.length > 0 && hits.length === 0) found.textContent = 'Nothing found';
  }
  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') found.querySelector('a')?.click();
    if (event.key === 'Escape') { input.value = ''; search(); }
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    side.open = true;
    input.focus();
  });
})();
