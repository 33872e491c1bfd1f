/** Modules of undici. Its main module loads all of undici, which would triple the size of the programs. */
declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export default buildConnector;
}
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';
  export default Agent;
}
declare module 'undici/lib/dispatcher/dispatcher.js' {
  import { Dispatcher } from 'undici';
  export default Dispatcher;
}
declare module 'undici/lib/global.js' {
  export { setGlobalDispatcher } from 'undici';
}
declare module 'undici/lib/handler/decorator-handler.js' {
  import type { Dispatcher } from 'undici';
  type Handler = Required<Dispatcher.DispatchHandler>;
  export default class DecoratorHandler implements Dispatcher.DispatchHandler {
    constructor(handler: Dispatcher.DispatchHandler);
    onResponseStart(...args: Parameters<Handler['onResponseStart']>): void;
  }
}
