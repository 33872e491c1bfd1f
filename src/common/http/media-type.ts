/**
 * Returns whether a `Content-Type` names this media type and no charset other than UTF-8. Ignores empty and unknown
 * parameters, which have no effect (RFC 9110 §5.6.6, RFC 8259 §11). Many clients write `utf8`, some in single quotes.
 */
export function isUtf8MediaType(contentType: string, mediaType: string): boolean {
  const [type = ''] = contentType.split(';', 1);
  if (type.trim().toLowerCase() !== mediaType) return false;
  return splitParameters(contentType.slice(type.length)).every((parameter) => {
    const [name = '', ...value] = parameter.toLowerCase().split('=');
    return name.trim() !== 'charset' || /^('?)utf-?8\1$/.test(value.join('=').trim());
  });
}

/** Splits at semicolons outside of quoted strings (RFC 9110 §5.6.4), which lose their quotes and escapes. */
function splitParameters(text: string): string[] {
  const parameters = [''];
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const isEscape = isQuoted && text[index] === '\\';
    if (!isEscape && text[index] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && text[index] === ';') parameters.push('');
    else parameters[parameters.length - 1] += text[isEscape ? ++index : index] ?? '';
  }
  return parameters;
}
