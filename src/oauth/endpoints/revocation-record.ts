/** `{}`: whether there was such a token is not told (RFC 7009 §2.2). */
export class RevocationAnswer {}
