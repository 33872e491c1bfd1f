describe('a form that was submitted', () => {
  const page = new EventTarget();
  const submit = (isOwnDefaultPrevented = false) => {
    const event = new Event('submit', { cancelable: true });
    page.dispatchEvent(event);
    const isPrevented = event.defaultPrevented;
    if (isOwnDefaultPrevented) event.preventDefault();
    jest.runAllTimers();
    return isPrevented ? 'prevented' : 'sent';
  };

  beforeAll(() => {
    jest.useFakeTimers();
    Object.assign(globalThis, { addEventListener: page.addEventListener.bind(page) });
    jest.requireActual('./submit-once');
  });
  afterAll(() => {
    jest.useRealTimers();
    Reflect.deleteProperty(globalThis, 'addEventListener');
  });
  afterEach(() => page.dispatchEvent(new Event('pageshow')));

  it('is not sent again', () => {
    expect([submit(), submit()]).toEqual(['sent', 'prevented']);
  });

  it('is sent again by a script that submits it itself', () => {
    expect([submit(true), submit()]).toEqual(['sent', 'sent']);
  });

  it('is sent again once the user has come back to its page', () => {
    expect([submit(), submit()]).toEqual(['sent', 'prevented']);
    page.dispatchEvent(new Event('pageshow'));
    expect(submit()).toBe('sent');
  });
});
