import type { Type } from '@nestjs/common';
import type { Json, Schemas } from './schema';
import { componentName } from './to-31';

type Properties = Record<string, { type?: unknown }>;

/** What the plugin of @nestjs/swagger adds to a class: its properties, as they are declared. */
interface Described {
  name: string;
  _OPENAPI_METADATA_FACTORY?: () => Properties;
}

/** Decorated properties come first in what @nestjs/swagger writes; people look for them where the class has them. */
export function inDeclaredOrder(schemas: Schemas, models: readonly Type[]): Schemas {
  const result = { ...schemas };
  const seen = new Set<Described>();
  const visit = (model: unknown): void => {
    if (typeof model !== 'function' || seen.has(model)) return;
    seen.add(model);
    const name = componentName(model.name);
    const properties = declaredProperties(model);
    if (result[name]) result[name] = reordered(result[name], Object.keys(properties));
    for (const { type } of Object.values(properties)) visit(typeOf(type));
  };
  models.forEach(visit);
  return result;
}

/** The plugin names classes by `() => X` or `() => [X]`, and other types in other ways. */
function typeOf(type: unknown): unknown {
  if (typeof type !== 'function') return undefined;
  const named = (type as () => unknown)();
  return Array.isArray(named) ? (named[0] as unknown) : named;
}

/** Those of its base classes first. */
function declaredProperties(model: Described): Properties {
  const parent = Object.getPrototypeOf(model) as Described;
  const inherited = parent === Function.prototype ? {} : declaredProperties(parent);
  const own = Object.hasOwn(model, '_OPENAPI_METADATA_FACTORY') ? model._OPENAPI_METADATA_FACTORY!() : {};
  return { ...inherited, ...own };
}

function reordered(schema: Json, names: readonly string[]): Json {
  const properties = schema.properties as Schemas;
  const ordered = Object.fromEntries(names.flatMap((name) => (properties[name] ? [[name, properties[name]]] : [])));
  const required = schema.required as string[] | undefined;
  return {
    ...schema,
    properties: { ...ordered, ...properties },
    ...(required && { required: names.filter((name) => required.includes(name)) }),
  };
}
