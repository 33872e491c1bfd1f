import type { Type } from '@nestjs/common';

const models = new Map<string, Type>();

/** Marks the class of an event's `data`, which its manifest names. */
export const EventData = (): ClassDecorator => (model) => void models.set(model.name, model as unknown as Type);

/** @throws Error if no loaded class with this name has the decorator */
export function getEventModel(name: string): Type {
  const model = models.get(name);
  if (!model) throw new Error(`${name} is the data of an event, but no class with @EventData() has this name.`);
  return model;
}
