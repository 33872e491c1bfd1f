/** Format of a key that is sealed to a device: a compact JWE (docs/protocol/encryption.md#sealed-keys). */

export const SEALING_ALGORITHM = 'ECDH-ES+A256KW';

export const SEALING_ENCRYPTION = 'A256GCM';

/** Members that the protected header may have. */
export const SEALED_KEY_HEADER_MEMBERS: readonly string[] = ['alg', 'enc', 'epk', 'kid', 'cty', 'apu', 'apv'];
