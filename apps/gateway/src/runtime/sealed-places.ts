/** Encrypted columns. Each value is encrypted with the id of its row as context. */
export const SEALED_PLACES = [
  ['key_checks', 'sealed'],
  ['signing_keys', 'sealed_private_key'],
  ['signing_secrets', 'sealed'],
  ['services', 'upstream_headers'],
  ['webhooks', 'secret'],
  ['webhooks', 'previous_secret'],
] as const
