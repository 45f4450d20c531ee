/** Where secrets lie at rest: table and column. Each is sealed with the id of its row for a context. */
export const SEALED_PLACES = [
  ['key_checks', 'sealed'],
  ['signing_keys', 'sealed_private_key'],
  ['signing_secrets', 'sealed'],
  ['services', 'upstream_headers'],
  ['webhooks', 'secret'],
  ['webhooks', 'previous_secret'],
] as const
