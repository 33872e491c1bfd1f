import { showPendingCount } from './pending-count';

describe('the number of requests that wait', () => {
  const page = { title: 'Tokens · External API' };
  const badge = { hidden: true, textContent: '', title: '' };
  let changeTitle: (title: string) => void;

  beforeAll(() => {
    const querySelectorAll = () => [badge];
    const document = Object.assign(page, { querySelectorAll, querySelector: () => ({}) });
    const MutationObserver = class {
      constructor(onChange: () => void) {
        changeTitle = (title) => {
          page.title = title;
          onChange();
        };
      }
      observe = () => undefined;
    };
    Object.assign(globalThis, { document, MutationObserver });
  });
  afterAll(() => {
    for (const name of ['document', 'MutationObserver']) Reflect.deleteProperty(globalThis, name);
  });

  it.each([
    [1, '1 request waits for you'],
    [2, '2 requests wait for you'],
  ])('is in the navigation and the title of the page: %d', (count, text) => {
    showPendingCount(count);
    expect(badge).toEqual({ hidden: false, textContent: String(count), title: text });
    expect(page.title).toBe(`(${count}) Tokens · External API`);
  });

  it('stays in front of a title that the page changes', () => {
    showPendingCount(2);
    changeTitle('build box · External API');
    expect(page.title).toBe('(2) build box · External API');
  });

  it('is hidden when none waits', () => {
    showPendingCount(0);
    expect(badge).toMatchObject({ hidden: true, textContent: '' });
    expect(page.title).toBe('build box · External API');
  });
});
