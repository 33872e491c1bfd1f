/** Access level of a device kind. The module that owns the rows checks `hosted` and `own` per row. */
export type AccessLevel = 'any' | 'hosted' | 'own' | 'no';

/** Records that have a path of their own. */
export interface ResourceDeclaration {
  /** As in "Id of the session." */
  noun: string;
  /** Prefix of its ids. Apps have none: their client ids are secret tokens. */
  idPrefix?: string;
  /** Tag of its operations in the OpenAPI document. */
  tag?: { name: string; description: string };
  /** What each kind of device may do with it (docs/protocol/device-api.md#permissions). */
  devicePermissions?: Record<string, { account: AccessLevel; machine: AccessLevel; what: string }>;
}

/** A scope of tokens and apps (docs/protocol/external-api.md#scopes). */
export interface ScopeDeclaration {
  /** What it permits, for developers. */
  description: string;
  /** What it permits, for people who consent: an imperative phrase. */
  consent: string;
  /** A risk or limit to consider before granting it. */
  caution?: string;
  /** Heading of the console's forms that offer it. A scope that permits nothing yet has none. */
  group?: string;
  /** Whether apps never get it, even with consent, since with it commands run. */
  isPatOnly?: true;
  /** Whether it can run commands on machines, either directly or through messages that an agent follows. */
  reachesMachines?: true;
}

/** A type of events (docs/protocol/webhooks.md#events). */
export interface EventDeclaration<Scope extends string = string> {
  /** Clause that completes "Sent when". */
  when: string;
  /** The event as a sentence, for people. */
  label: string;
  /** Heading of the console's forms that offer it. `webhook.test` has none, since every webhook receives it. */
  group?: string;
  /** Scope that its recipients need. `no app` excludes apps. */
  access: Scope | 'no app' | null;
  /** Name of the class of its `data`, which has the decorator `@EventData()`. */
  data: string;
  /** What test events say other than the example of `data` in the OpenAPI document. */
  sample?: object;
  /** Member of `data` with the id of the session that the event belongs to. Others belong to the account alone. */
  session?: 'id' | 'sessionId';
}

/** What a module is to the rest of the service: `<module>.manifest.ts` declares it, `app.manifest.ts` lists it. */
export interface Manifest {
  /** By path segment. */
  resources?: Record<string, ResourceDeclaration>;
  /** Prefixes of ids of records that have no path of their own. */
  idPrefixes?: readonly string[];
  scopes?: Record<string, ScopeDeclaration>;
  /** By type. */
  events?: Record<string, EventDeclaration>;
  /** Tables and views of the module's SQL (docs/architecture.md#owners-of-tables). */
  tables?: {
    owned?: readonly string[];
    /** Tables of others that its statements join, to save a round trip. */
    read?: readonly string[];
    /** Tables of others that its statements change, around the rules of their owners, with the reason why. */
    written?: Readonly<Record<string, string>>;
  };
}

/** Declares a manifest, and keeps the literal types of its names. */
export const defineManifest = <const M extends Manifest>(manifest: M): M => manifest;
