import { TOOL_CALL_MEDIA_TYPE, type TestMessage } from '../browser/support/append-messages';

const callTool = (localId: string, members: object): TestMessage => ({
  localId,
  role: 'tool',
  mediaType: TOOL_CALL_MEDIA_TYPE,
  text: JSON.stringify({ id: localId, status: 'completed', output: '', ...members }),
});

const DIFF = `diff --git a/src/total.ts b/src/total.ts
--- a/src/total.ts
+++ b/src/total.ts
@@ -1,6 +1,9 @@
 import type { Invoice } from './invoice';

-export const total = (invoices: Invoice[]) =>
-  invoices.map(({ amount }) => amount).reduce((sum, amount) => sum + amount);
+/** Sums the amounts in cents. */
+export function total(invoices: readonly Invoice[]): number {
+  return invoices.reduce((sum, { amount }) => sum + amount, 0);
+}

 export const formatTotal = (cents: number) => \`\${(cents / 100).toFixed(2)} €\`;
diff --git a/src/total.spec.ts b/src/total.spec.ts
new file mode 100644
--- /dev/null
+++ b/src/total.spec.ts
@@ -0,0 +1,5 @@
+import { total } from './total';
+
+it('is 0 without invoices', () => {
+  expect(total([])).toBe(0);
+});
`;

const OUTPUT = `\u001b[1m\u001b[46m RUN \u001b[0m \u001b[36mv3.2.4\u001b[0m ~/billing

 \u001b[32m✓\u001b[39m src/total.spec.ts \u001b[2m(1 test)\u001b[22m \u001b[33m2 ms\u001b[39m
 \u001b[32m✓\u001b[39m src/invoice.spec.ts \u001b[2m(14 tests)\u001b[22m 31 ms
 \u001b[31m❯\u001b[39m src/region.spec.ts \u001b[2m(9 tests | \u001b[22m\u001b[31m1 failed\u001b[39m\u001b[2m)\u001b[22m

\u001b[2m Test Files \u001b[22m \u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m\
\u001b[2m | \u001b[22m\u001b[1m\u001b[32m2 passed\u001b[39m\u001b[22m (3)
`;

const ANSWER = `The total fails for **an empty list**: \`reduce\` has no initial value, so it throws a \`TypeError\`.

### What I changed

1. \`total\` starts at 0, and takes a read-only list.
2. A test covers the empty list.
   - [x] \`src/total.spec.ts\`
   - [ ] \`src/region.spec.ts\`, which fails for another reason

\`\`\`ts
export function total(invoices: readonly Invoice[]): number {
  return invoices.reduce((sum, { amount }) => sum + amount, 0);
}
\`\`\`

| File                 | Tests | Result       |
| -------------------- | ----: | ------------ |
| \`src/total.spec.ts\`   |     1 | passed       |
| \`src/invoice.spec.ts\` |    14 | passed       |
| \`src/region.spec.ts\`  |     9 | **1 failed** |

> The failure in \`region.spec.ts\` is older: it expects a rate of 19 %, see
> [the change of rates](https://rates.example/2026) and
> https://issues.example/billing/142.

Shall I correct the rate as well?`;

/** A conversation as people have it, with what agents write. */
export const EXAMPLE_CONVERSATION: readonly TestMessage[] = [
  {
    localId: 'example-1',
    role: 'user',
    text:
      'The monthly report fails since there are regions without invoices:\n\n' +
      'TypeError: Reduce of empty array with no initial value',
  },
  { localId: 'example-2', text: 'I’ll look at how the total is computed.' },
  callTool('example-3', { title: 'Read src/total.ts', kind: 'read' }),
  callTool('example-4', { title: 'Edit src/total.ts, src/total.spec.ts', kind: 'edit', diff: DIFF }),
  callTool('example-5', { title: 'npx vitest run', kind: 'execute', status: 'failed', exitCode: 1, output: OUTPUT }),
  { localId: 'example-6', text: ANSWER },
];
