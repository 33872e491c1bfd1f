import { rmSync } from 'node:fs';

export default function tearDownMediumTests(): void {
  const dir = process.env.TEST_MEDIUM_TEMPLATE;
  if (dir) rmSync(dir, { recursive: true, force: true });
}
