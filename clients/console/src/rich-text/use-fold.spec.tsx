import { render } from 'preact-render-to-string';
import { useFold } from './use-fold';

function Folded({ lineCount, step }: { lineCount: number; step?: number }) {
  const { count, button } = useFold(lineCount, 100, step);
  return (
    <>
      {count}: {button}
    </>
  );
}
const show = (lineCount: number, step?: number) =>
  render(<Folded lineCount={lineCount} step={step} />).replace(/<[^>]+>/g, '');

describe('a long text', () => {
  it('is shown whole if it is only a little longer than its fold', () => {
    expect(show(100)).toBe('100: ');
    expect(show(105)).toBe('105: ');
    expect(show(106)).toBe('100: Show all 106 lines');
  });

  it('is unfolded in steps, the last of which shows the rest', () => {
    expect(show(1_301, 1_200)).toBe('100: Show 1,200 more of 1,301 lines');
    expect(show(1_300, 1_200)).toBe('100: Show all 1,300 lines');
  });
});
