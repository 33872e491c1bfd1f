/** Shows the numbers of a chart's bar on touch, hover and arrow keys. */

const INSTRUCTIONS = 'Touch a bar, or press the arrow keys, to see its numbers.';

for (const chart of document.querySelectorAll('.chart')) {
  const svg = chart.querySelector('svg');
  const value = chart.querySelector('output');
  if (svg && value) showValues(svg, value);
}

function showValues(svg: SVGSVGElement, value: HTMLOutputElement): void {
  const bars = [...svg.querySelectorAll('g')];
  let chosen = bars.length;
  const choose = (index: number) => {
    bars[chosen]?.classList.remove('chosen');
    chosen = Math.min(Math.max(index, 0), bars.length - 1);
    bars[chosen]?.classList.add('chosen');
    value.textContent = bars[chosen]?.querySelector('title')?.textContent ?? '';
  };
  for (const [index, bar] of bars.entries()) {
    bar.addEventListener('pointerenter', () => choose(index));
    bar.addEventListener('pointerdown', () => choose(index));
  }
  svg.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(chosen + step);
  });
  svg.tabIndex = 0;
  value.textContent = INSTRUCTIONS;
  value.hidden = false;
}
