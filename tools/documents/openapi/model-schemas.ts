import type { INestApplication, Type } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { getTextMapRules } from '../../../src/common/http';
import { getComponentName, type OpenApiObject, type SchemasByName } from '../../../src/web/openapi';
import { convertToOpenApi31Schemas } from './openapi-31-schemas';

/** Lets @nestjs/swagger describe the operations of all controllers, and the schemas of these models beside theirs. */
export function buildSwaggerDocument(app: INestApplication, models: readonly Type[]): OpenAPIObject {
  return SwaggerModule.createDocument(app, new DocumentBuilder().build(), {
    extraModels: [...models],
    // Only `@Operation` sets a tag.
    autoTagControllers: false,
  });
}

/** Returns the schemas of these models and of everything they reference, by component name. */
export function buildModelSchemas({ components }: OpenAPIObject, models: readonly Type[]): SchemasByName {
  const schemasByName = convertToOpenApi31Schemas(components!.schemas as SchemasByName);
  return { ...sortPropertiesAsDeclared(schemasByName, models), ...buildTextMapSchemas(models) };
}

/** Returns the schemas of objects whose names the caller chooses, which @nestjs/swagger can't describe. */
function buildTextMapSchemas(models: readonly Type[]): SchemasByName {
  return Object.fromEntries(
    models.flatMap((model): [string, OpenApiObject][] => {
      const rules = getTextMapRules(model);
      if (!rules) return [];
      const { maxMembers: maxProperties, pattern } = rules;
      const additionalProperties = { type: 'string', pattern: pattern.source };
      return [
        [getComponentName(model.name), { type: 'object', minProperties: 1, maxProperties, additionalProperties }],
      ];
    }),
  );
}

/** Returns the names of the schemas that these parts of a document reference, directly or indirectly. */
export function listReferencedSchemas(schemasByName: SchemasByName, roots: unknown[]): Set<string> {
  const usedNames = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (usedNames.has(name!)) continue;
      usedNames.add(name!);
      visit(schemasByName[name!]);
    }
  };
  roots.forEach(visit);
  return usedNames;
}

/** Returns the schemas that the document references directly or indirectly. */
export function pickUsedSchemas(schemasByName: SchemasByName, ...roots: unknown[]): SchemasByName {
  return Object.fromEntries(
    [...listReferencedSchemas(schemasByName, roots)].sort().map((name): [string, OpenApiObject] => {
      const schema = schemasByName[name];
      if (!schema) throw new Error(`The OpenAPI document references the unknown schema ${name}.`);
      return [name, schema];
    }),
  );
}

type DeclaredProperties = Record<string, { type?: unknown }>;

/** Class with the metadata of the @nestjs/swagger plugin: its properties in declaration order. */
interface DescribedModel {
  name: string;
  _OPENAPI_METADATA_FACTORY?: () => DeclaredProperties;
}

/** Restores declaration order, since @nestjs/swagger writes decorated properties first. */
function sortPropertiesAsDeclared(schemasByName: SchemasByName, models: readonly Type[]): SchemasByName {
  const result = { ...schemasByName };
  const seen = new Set<DescribedModel>();
  const visit = (model: unknown): void => {
    if (typeof model !== 'function' || seen.has(model)) return;
    seen.add(model);
    const name = getComponentName(model.name);
    const properties = collectDeclaredProperties(model);
    if (result[name]) result[name] = reorderProperties(result[name], Object.keys(properties));
    for (const { type } of Object.values(properties)) visit(resolvePropertyType(type));
  };
  models.forEach(visit);
  return result;
}

/** The plugin references classes as `() => X` or `() => [X]`. Other forms are not classes. */
function resolvePropertyType(type: unknown): unknown {
  if (typeof type !== 'function') return undefined;
  const resolvedType = (type as () => unknown)();
  return Array.isArray(resolvedType) ? (resolvedType[0] as unknown) : resolvedType;
}

/** Returns the declared properties, starting with those of base classes. */
function collectDeclaredProperties(model: DescribedModel): DeclaredProperties {
  const parent = Object.getPrototypeOf(model) as DescribedModel;
  const inherited = parent === Function.prototype ? {} : collectDeclaredProperties(parent);
  const own = Object.hasOwn(model, '_OPENAPI_METADATA_FACTORY') ? model._OPENAPI_METADATA_FACTORY!() : {};
  return { ...inherited, ...own };
}

function reorderProperties(schema: OpenApiObject, names: readonly string[]): OpenApiObject {
  const properties = schema.properties as SchemasByName;
  const orderedProperties = Object.fromEntries(
    names.flatMap((name) => (properties[name] ? [[name, properties[name]]] : [])),
  );
  const required = schema.required as string[] | undefined;
  return {
    ...schema,
    properties: { ...orderedProperties, ...properties },
    ...(required && { required: names.filter((name) => required.includes(name)) }),
  };
}
