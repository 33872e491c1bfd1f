import type { INestApplication, Type } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { inDeclaredOrder } from './declared-order';
import type { Json, Schemas } from './schema';
import { schemasTo31 } from './to-31';

/** The schemas of these DTOs and records, and of what they refer to, by component name. */
export function modelSchemas(app: INestApplication, models: readonly Type[]): Schemas {
  const { components } = SwaggerModule.createDocument(app, new DocumentBuilder().build(), {
    extraModels: [...models],
  });
  return inDeclaredOrder(schemasTo31(components!.schemas as Schemas), models);
}

/** Only those that something in the document refers to, directly or through another. */
export function usedSchemas(schemas: Schemas, ...roots: unknown[]): Schemas {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name!)) continue;
      used.add(name!);
      visit(schemas[name!]);
    }
  };
  roots.forEach(visit);
  return Object.fromEntries(
    [...used].sort().map((name): [string, Json] => {
      const schema = schemas[name];
      if (!schema) throw new Error(`The OpenAPI document refers to ${name}, of which there is no schema.`);
      return [name, schema];
    }),
  );
}
