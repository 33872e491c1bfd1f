import { leavePage, runAction } from './form-page';

describe('an action that leads to another page', () => {
  const browserWindow = new EventTarget();
  const button = { disabled: false };
  const elements: Record<string, object> = {
    card: { dataset: { return: '/console/devices' } },
    problem: {},
    progress: {},
  };
  const opened: string[] = [];
  const globals = {
    addEventListener: browserWindow.addEventListener.bind(browserWindow),
    document: { getElementById: (id: string) => elements[id], querySelectorAll: () => [button] },
    location: { hash: '#code=ABCD-2345', assign: (address: string) => opened.push(address) },
  };

  beforeAll(() => void Object.assign(globalThis, globals));
  afterAll(() => {
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
  });

  it('keeps its buttons disabled until the page loads, or the user comes back', async () => {
    const leaving = runAction('Signing in …', leavePage);
    await new Promise((resolve) => setImmediate(resolve));
    expect(opened).toEqual(['/console/devices#code=ABCD-2345']);
    expect(button.disabled).toBe(true);
    browserWindow.dispatchEvent(new Event('pageshow'));
    await leaving;
    expect(button.disabled).toBe(false);
  });
});
