const redirectUri = 'http://127.0.0.1:33418/callback'
const clientId = 'oac_01kahd5w3xqv7m2c9z4n8r6t0e'
const gateway = 'https://gateway.example'

/** Examples of the OAuth operations for the reference. */
export const registerBody = {
  client_name: 'Research desk',
  redirect_uris: [redirectUri],
  token_endpoint_auth_method: 'none',
}

export const registered = {
  client_id: clientId,
  client_id_issued_at: 1_795_168_200,
  client_name: 'Research desk',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

export const tokenBody = {
  grant_type: 'authorization_code',
  code: '2f4c8e5a7b1d4e0f9c3a6b8d0e2f4a6c8e0a2c4e6f8b0d2f4a6c8e0f2a4c6e8f',
  redirect_uri: redirectUri,
  client_id: clientId,
  code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  resource: `${gateway}/mcp`,
}

const accessToken = `agt_${'0'.repeat(49)}`
export const token = {
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: 2_592_000,
  scope: 'calls',
}

export const revokeBody = { token: accessToken, client_id: clientId }

const code = '2f4c8e5a7b1d4e0f9c3a6b8d0e2f4a6c8e0a2c4e6f8b0d2f4a6c8e0f2a4c6e8f'
const iss = encodeURIComponent(gateway)

export const authorization = {
  status: 'success',
  client: { id: clientId, name: 'Research desk', registeredAt: '2026-11-20T09:30:00.000Z' },
  redirectHost: '127.0.0.1:33418',
  isLoopback: true,
  resource: `${gateway}/mcp`,
  deniedUrl: `${redirectUri}?error=access_denied&state=af0ifjsldkj&iss=${iss}`,
}

export const authorizeBody = {
  request: {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'af0ifjsldkj',
    resource: `${gateway}/mcp`,
  },
  credential: {
    creditLimit: 5,
    resetInterval: 'monthly',
    expiresInSec: 2_592_000,
    allowedServices: ['weather'],
  },
}

export const authorized = {
  status: 'success',
  redirectTo: `${redirectUri}?code=${code}&state=af0ifjsldkj&iss=${iss}`,
  credentialId: 'cred_01kahd5w3xqv7m2c9z4n8r6t0e',
}

export const protectedResource = {
  resource: `${gateway}/mcp`,
  resource_name: 'Farebox',
  authorization_servers: [gateway],
  bearer_methods_supported: ['header'],
  scopes_supported: ['calls'],
  resource_documentation: `${gateway}/docs`,
}

export const authorizationServer = {
  issuer: gateway,
  authorization_endpoint: `${gateway}/connect`,
  token_endpoint: `${gateway}/oauth/token`,
  registration_endpoint: `${gateway}/oauth/register`,
  revocation_endpoint: `${gateway}/oauth/revoke`,
  scopes_supported: ['calls'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${gateway}/docs`,
}
