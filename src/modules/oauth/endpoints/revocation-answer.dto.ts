/** Always `{}`. The response doesn't reveal whether the token existed (RFC 7009 §2.2). */
export class RevocationAnswerDto {}
