import { rmSync } from 'node:fs';

export default function removeEmbeddedTemplate(): void {
  const dir = process.env.TEST_EMBEDDED_TEMPLATE;
  if (dir) rmSync(dir, { recursive: true, force: true });
}
