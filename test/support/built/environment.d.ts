import { TestEnvironment } from 'jest-environment-node';

export default class BuiltServiceEnvironment extends TestEnvironment {
  handleTestEvent(event: { name: string; error?: unknown }): void;
}
