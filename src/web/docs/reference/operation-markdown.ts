import { CREDENTIAL_NAMES, type ReferenceOperation } from './reference-model';
import { buildRequestSamples } from './request-samples';
import type { SchemaField, SchemaVariant } from './schema-fields';

/** Writes the page of an operation as Markdown, for readers without a browser. */
export function writeOperationMarkdown(operation: ReferenceOperation, publicUrl: string): string {
  const { summary, method, path, description, credential, scopes, rateLimitBucket } = operation;
  const { isDeprecated, parameters, body, responses, errors } = operation;
  const isEvent = method === '';
  const sections = [
    `# ${summary}`,
    isEvent ? `Webhook event \`${path}\`` : `\`${method} ${path}\``,
    ...(isDeprecated ? [`**Deprecated.** See [Deprecations](${publicUrl}/docs/deprecations).`] : []),
    description,
    ...(isEvent ? [] : [`Credential: ${CREDENTIAL_NAMES[credential]}`]),
    ...(scopes.length > 0 ? [`Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}`] : []),
    ...(rateLimitBucket ? [`Rate limit bucket: \`${rateLimitBucket}\``] : []),
    ...(parameters.length > 0
      ? ['## Parameters', parameters.map((field) => writeField(field, 0, field.in)).join('\n')]
      : []),
    ...(body
      ? [isEvent ? '## Payload' : '## Request body', writeVariants(body.variants, 0), writeJson(body.example)]
      : []),
    ...(isEvent
      ? []
      : [
          '## Samples',
          ...buildRequestSamples(operation, publicUrl).map(
            ({ language, code }) => `\`\`\`${language}\n${code}\n\`\`\``,
          ),
          '## Responses',
          ...responses.flatMap(({ status, description: text, bodies }) => [
            `### ${status}`,
            text,
            ...bodies.flatMap(({ variants, example }) => [writeVariants(variants, 0), writeJson(example)]),
          ]),
          '## Errors',
          errors
            .map(({ status, code, title }) =>
              code ? `- ${status} [\`${code}\`](${publicUrl}/docs/errors#${code})` : `- ${status} ${title}`,
            )
            .join('\n'),
        ]),
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

function writeVariants(variants: readonly SchemaVariant[], depth: number): string {
  return variants
    .map(({ title, fields }) => {
      const list = fields.map((field) => writeField(field, depth)).join('\n');
      return title && variants.length > 1
        ? `${'  '.repeat(depth)}- Alternative ${title}:\n${writeVariants([{ title: '', fields }], depth + 1)}`
        : list;
    })
    .join('\n');
}

function writeField(field: SchemaField, depth: number, place?: string): string {
  const { name, type, isRequired, description, enumValues, constraints, variants } = field;
  const marks = [...(isRequired ? ['required'] : []), ...(field.isDeprecated ? ['deprecated'] : [])];
  const facts = [type, ...(place ? [place] : []), ...marks, ...constraints].join(', ');
  const values = enumValues.length > 0 ? ` One of ${enumValues.map((value) => `\`${value}\``).join(', ')}.` : '';
  const text = description ? `: ${description.replace(/\s+/g, ' ')}` : '';
  const line = `${'  '.repeat(depth)}- \`${name}\` (${facts})${text}${values}`;
  return variants.length > 0 ? `${line}\n${writeVariants(variants, depth + 1)}` : line;
}

function writeJson(example: unknown): string {
  if (example === undefined) return '';
  return typeof example === 'string'
    ? `\`\`\`\n${example.trimEnd()}\n\`\`\``
    : `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}
