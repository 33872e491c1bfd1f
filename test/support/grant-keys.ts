/** GRANT_KEYS of all services under test, so that services on the same database can open each other's grants. */
export const TEST_GRANT_KEYS = JSON.stringify([
  {
    kty: 'OKP',
    crv: 'X25519',
    d: '2G5yI1R7BUwsfF39p2hKeqUi3JFn1w2iiUg-4zlbX2Q',
    x: 'KJTkZ8iebMILyEAvn4MCiI3HuZenqNOVzWK1yW-L8kQ',
    kid: 'grant-key-for-tests',
  },
]);
