/** What the push worker uses of its global scope, which TypeScript knows only in programs without pages. */
export interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly location: { readonly href: string };
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly PageClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'pushsubscriptionchange', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushMessageEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: NoticeClickEvent) => void): void;
}

export interface PageClient {
  readonly url: string;
  readonly focused: boolean;
  readonly visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
}

interface WorkerEvent {
  waitUntil(work: Promise<unknown>): void;
}

interface PushMessageEvent extends WorkerEvent {
  readonly data: { json(): unknown } | null;
}

interface NoticeClickEvent extends WorkerEvent {
  readonly notification: Notification;
  /** Empty for a click beside the buttons. */
  readonly action: string;
}

export const worker = globalThis as unknown as WorkerScope;
