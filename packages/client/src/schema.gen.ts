/**
 * Types of every operation, and where each one is. Made of apps/gateway/openapi.json by `npm run contract`.
 */
export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask whether the process lives
         * @description Says nothing of what it needs; that is what `GET /ready` is for.
         */
        get: operations["readLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask whether the gateway can serve
         * @description Database, schema and chain. What is not so stands in `detail.checks` of the error; `detail.stopping` is true when the gateway is about to stop: it takes calls still, and should be sent no more.
         */
        get: operations["readReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics of this gateway
         * @description For Prometheus, with `METRICS_TOKEN` as bearer token. Without that setting nobody may read them, but in development mode everybody may.
         */
        get: operations["readMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this document
         * @description The contract of this gateway, OpenAPI 3.1. Made from the schemas that validate.
         */
        get: operations["readContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this document as a page
         * @description The reference, for people. It works without a connection to anywhere else.
         */
        get: operations["readReference"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/http-message-signatures-directory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys that sign what goes to providers
         * @description Every forwarded call and probe is signed (RFC 9421): with one of these keys (Ed25519), or with the signing secret of a provider whose service asks for that. A key is published long before its first signature and after its last.
         */
        get: operations["listSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Speak the Model Context Protocol
         * @description Streamable HTTP without sessions: each POST is answered by itself, with JSON. A call with `_meta.progressToken` that takes longer than a second is answered with an event stream: notifications of progress, then the result. A tool is a service, named by its agentToolName with its request schema as input. `tools/list` shows those of the allow-list of the credential; without one what its owner has paid before, then the best ranked, 50 in all. `farebox_search` finds the others, `farebox_call` calls them, `farebox_balance` tells what may be spent. A list counts towards `rpm`. What goes wrong in a call is told in its result; the rate and the budget of the credential bind as in `POST /api/v1/agent/invoke`. Pages of unknown origins are refused.
         */
        post: operations["callMcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/marketplace/registry.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the registry of callable services
         * @description Every service that can be called now, page by page: best match first; without a text, the newest first. Send the `ETag` of a page as `If-None-Match` to be told that it has not changed.
         */
        get: operations["readRegistry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a text to sign in with
         * @description A Sign-In with Ethereum message (EIP-4361) for this wallet, to be signed as it is (EIP-191) and sent to `POST /auth/verify` within five minutes.
         */
        get: operations["issueChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a signed challenge
         * @description The challenge must be sent as it was handed out, and is good once. Smart wallets sign as EIP-1271 and EIP-6492 have it.
         */
        post: operations["verifyChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End this session
         * @description The token is refused from now on. Other sessions of the wallet go on.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who I am
         * @description The profile of the wallet that is signed in, with an email that waits for its code.
         */
        get: operations["readProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me/profile/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a text to sign for a profile update
         * @description A message (EIP-4361) to be signed as it is (EIP-191) and sent with `PUT /auth/me/profile` within five minutes, once.
         */
        post: operations["issueProfileChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change my name, my email or what I am told
         * @description Takes a signed profile challenge. Members that are absent leave things as they are. A new email is mailed a code of six digits (5 mails per wallet and UTC day) and stays pending until `POST /auth/email/verify-code`; sending the pending one again sends a new code, the verified one cancels a pending change, null removes both. When any of it is refused, nothing changes and the challenge can still be used.
         */
        put: operations["updateProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/email/verify-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm my email with the code that was mailed to it
         * @description A code works once, for ten minutes. The fifth wrong one locks it: ask for another with `POST /auth/email/resend-code`.
         */
        post: operations["verifyEmailCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/email/resend-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a new code mailed to my pending email
         * @description The code before it is void. It is one of the 5 mails per wallet and UTC day.
         */
        post: operations["resendEmailCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read my balance
         * @description What the wallet has as a consumer and as a provider, under each of the names that clients know.
         */
        get: operations["readBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/balance/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the entries behind my balance
         * @description Newest first. They explain the posted balances to the last micro-USDC; what is held or locked makes no entries. With `Accept: text/csv` as a table, with the next page in a `Link` header.
         */
        get: operations["listLedgerEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/proof/reserves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare what the vault holds with what is owed
         * @description The vault on the chain, now, against the books. `consistent` is the outcome of the newest check of every invariant of the books. `tree` is of a moment some seconds ago: what was owed to whom then, with the root that every wallet can find its own balance under, and what the vault held. docs/proof.md says how to verify it.
         */
        get: operations["readReserves"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/proof/seals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the seals over the ledger
         * @description Newest first. Every entry is sealed some seconds after it was made; each seal contains the hash of the one before. Keep the newest one: with it an exported ledger can be checked for changes of all that came before (docs/proof.md).
         */
        get: operations["listSeals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/proof/inclusion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that what I am owed is in what is told to be owed
         * @description The leaf of the wallet, and the nodes beside the way from it to `merkleRoot`. A wallet that has an account without money has a leaf of zero; one without an account has none (404). A tree can be asked until ten minutes after it was true last.
         */
        get: operations["readInclusion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/credentials/agent/issue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint a credential for an agent
         * @description A token that spends from the balance of the wallet, within the limits given here. A limit that is left out is not set; `rpm` is 600 then. `expiresAt`, `expiration` and `expiresInSec` say the same thing. The wallet must have a spendable balance.
         */
        post: operations["issueCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/credentials/agent/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a credential a new token
         * @description Limits, what is drawn of them and idempotency keys stay. The token until now ends at once, or after `overlapSeconds`.
         */
        post: operations["rotateCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/credentials/agent/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my credentials
         * @description Newest first, with what is used of their limits. Deleted ones are left out.
         */
        get: operations["listCredentials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/credentials/agent/audit-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was done to my credentials and spending policy
         * @description Newest first. Deleted credentials keep their trail.
         */
        get: operations["listCredentialAuditLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/credentials/agent/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read where a credential stands
         * @description What it has spent, what is held for calls under way, and what its limits leave.
         */
        get: operations["readCredential"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/credentials/agent/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a credential
         * @description No call is admitted with it once this is answered. Revoking again changes nothing.
         */
        post: operations["revokeCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/credentials/agent/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a credential
         * @description It ends at once and is listed no more. Its calls and its audit trail stay.
         */
        delete: operations["deleteCredential"];
        options?: never;
        head?: never;
        /**
         * Change a credential
         * @description What is left out stays; null takes a limit away.
         */
        patch: operations["updateCredential"];
        trace?: never;
    };
    "/api/v1/credentials/agent/{id}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the limits of a credential
         * @description What is left out stays; null takes a limit away.
         */
        patch: operations["updateCredentialQuota"];
        trace?: never;
    };
    "/api/v1/balance/spending-limit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read my spending policy
         * @description The caps that hold for all agent credentials of the wallet together, and what is drawn of them.
         */
        get: operations["readSpendingPolicy"];
        /**
         * Set my spending policy
         * @description What is left out stays. No call is admitted above the new limits once this is answered; calls that are under way go on.
         */
        put: operations["setSpendingPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/secrets/provider/issue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a provider secret
         * @description With it a provider's own servers list the calls of its services and report late usage. The key is shown in this answer only. The wallet becomes a provider.
         */
        post: operations["issueProviderSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/secrets/provider/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a provider secret
         * @description It opens nothing once this is answered. Its audit trail stays.
         */
        delete: operations["deleteProviderSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/secrets/provider/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my provider secrets
         * @description All of them, newest first. Deleted ones are left out.
         */
        get: operations["listProviderSecrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/secrets/provider/audit-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was done to my provider secrets
         * @description Newest first. Deleted secrets keep their trail.
         */
        get: operations["listProviderSecretAuditLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/secrets/signing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read which signing secret my wallet has
         * @description Its key id, and that of the next one. The secret itself is not shown again.
         */
        get: operations["readSigningSecret"];
        put?: never;
        /**
         * Issue the signing secret of my wallet
         * @description Requests to services with `signature: "hmac-sha256"` are signed with it (RFC 9421, 3.3.3). A wallet has one for all its services. It is shown in this answer only.
         */
        post: operations["issueSigningSecret"];
        /**
         * Delete the signing secret of my wallet
         * @description The next one, too. Refused while a service has `signature: "hmac-sha256"`: `detail.services` names some.
         */
        delete: operations["deleteSigningSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/secrets/signing/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret of my wallet
         * @description The new one is shown in this answer only and signs from `signsFrom` on, `overlapSeconds` from now (default one day). Until then the old one signs: add the new one to your verifier first, by its key id, and take the old one out afterwards. A next one that was waiting is dropped. After a theft send `overlapSeconds: 0`.
         */
        post: operations["rotateSigningSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read where the money lives
         * @description Chain, token and vault, for wallets that deposit and withdraw by themselves.
         */
        get: operations["readChain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/balance/deposit/intent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim a deposit
         * @description Names the transaction by which the wallet has deposited into the vault. Confirm it then; it is credited by itself, too, as soon as it has its confirmations. With `X-Idempotency-Key` the same claim is answered alike; without one, a second claim of a transaction is refused.
         */
        post: operations["openDeposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/balance/deposit/intents/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a claimed deposit credited
         * @description Reads the chain. What is credited is what the vault's event says, to the wallet that it names, once. Ask again while it has too few confirmations; on a credited deposit it answers the same again.
         */
        post: operations["confirmDeposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/balance/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my deposits
         * @description Newest first: claimed ones, and those that were found on the chain without a claim. With `Accept: text/csv` as a table, with the next page in a `Link` header.
         */
        get: operations["listDeposits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/parse-curl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Draft a service from a curl command
         * @description Reads the command as a shell would and runs nothing of it: no file, variable or substitution is looked up, and the URL is not called. Nothing is kept. Headers go to `upstreamHeaders`; those that look like secrets are flagged.
         */
        post: operations["draftService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/registration-guide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how to register a service
         * @description For programs: the manifest with its limits as the gateway reads it, examples, health rules, how calls look and are verified, and what comes next.
         */
        get: operations["readRegistrationGuide"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my services
         * @description Newest first. Deleted ones are left out.
         */
        get: operations["listServices"];
        put?: never;
        /**
         * Register a service
         * @description Puts it on the market at once, unless `isActive` is false or `status` is `paused`; it can be called when a probe finds a target healthy. Only `serviceName` and `invoke.targets` must be there; without `pricing` a call is free. With `serviceKind: "llm"` tokens are paid for, and both their prices must be there. The wallet becomes a provider.
         */
        post: operations["registerService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a service
         * @description The whole record to its owner, whatever its state; the summary to anybody else, unless it is suspended or deleted.
         */
        get: operations["readService"];
        /**
         * Change a service
         * @description Each member that is there replaces the whole of it; null clears an optional one. The kind of a service stays. Calls that are under way end at what they were quoted. Higher prices of a model, and of a fixed price for callers who assert none (MCP), take effect after `PRICE_NOTICE_SECONDS`, an hour unless the gateway says otherwise; until then answers carry `scheduledPricing`. Whatever lowers a price takes effect at once.
         */
        put: operations["updateService"];
        post?: never;
        /**
         * Delete an inactive service
         * @description For good. Its names stay taken.
         */
        delete: operations["deleteService"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/discover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find services that can be called now
         * @description Active services with a healthy target, best match first; without a text, the newest first. What was registered, changed or taken away before the request is known, whichever gateway answers.
         */
        get: operations["discoverServices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/discovery/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search for services to call
         * @description Services that can be called now, of those that the credential may call. Every service is on one page, as long as nothing changes. Free of charge, and not counted by the `rpm` of the credential.
         */
        post: operations["searchServices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look through the market
         * @description Services that can be called now, page by page, with what their calls of the last seven days say of them. For agents there is `POST /agent/discovery/search`.
         */
        get: operations["searchMarket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tags of the market
         * @description Those of services that can be called now, the most used first.
         */
        get: operations["listMarketTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look at a service
         * @description What somebody who wants to call it needs to know, and how its calls went.
         */
        get: operations["readMarketService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the figures of the market
         * @description Some seconds old at most.
         */
        get: operations["readMarketStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/services/{id}/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how healthy a service is
         * @description What the probes of the last day found of each target.
         */
        get: operations["readMarketHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the provider's services
         * @description Newest first. Deleted ones are left out.
         */
        get: operations["listProviderServices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{id}/health/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the probes of a service have found
         * @description By target and, under `history`, of all targets together; newest first. Every probe of the last 24 hours; further back, up to seven days, the changes and one probe in ten minutes.
         */
        get: operations["readHealthHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Probe a service now
         * @description Probes every target and counts what is found as the regular probes count. A few times a minute for a service and for each host of a target.
         */
        post: operations["pingService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider/services/{id}/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the probes found of the provider's service
         * @description By target and of all targets together, newest first.
         */
        get: operations["readProviderServiceHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/invoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a service and pay for it
         * @description Holds the price, calls the provider, charges. A fixed-price service is called at `costUsdc`, the price seen in discovery; an LLM service at a hold of `maxCostUsdc`, or an automatic one, of which the final usage is charged and the rest released. `maxCostUsdc` is a cap: the bound on output tokens is lowered to what it pays for after the prompt, a cap that does not pay for the prompt and one output token is `LIMIT_EXCEEDED` with `detail.requiredHoldUsdc`, and a fixed price above it is `PRICE_MISMATCH`. A failed call is never charged.
         *
         *     With an idempotency key (in the body or the header) the same call is paid once: sent again, it is answered with the stored answer, failures too, and `Idempotent-Replayed: true`. Results are kept for a time (30 days unless the gateway says otherwise); after it the same call is still not made again, and is answered without its result and with `answerExpired: true`.
         *
         *     With `responseMode: "stream"`, or `payload.body.stream: true` to an LLM service, the answer is server-sent events: the chunks of the provider, then `event: gateway` with this result, then `[DONE]`; a stream that was cut ends with `event: error`.
         *
         *     After 502 UPSTREAM_ERROR with `detail.status: "PROCESSING"` do not call again before the invocation is terminal: its provider may still report the usage.
         */
        post: operations["invokeService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/invocations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a call that was made
         * @description The answer again, or where the call stands and why. For the credential that made it, and for its owner by the session of the wallet.
         */
        get: operations["readInvocation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the calls that my credentials made
         * @description Newest first. With `Accept: text/csv` as a table, with the next page in a `Link` header.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum up what my credentials have spent
         * @description By UTC day, by service and by credential. A call counts on the day on which it was made; what is held for calls under way is not spent yet.
         */
        get: operations["readSpending"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider/invocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the calls of the provider's services
         * @description Newest first, with what was earned. `status=PROCESSING` finds the calls whose usage is awaited.
         */
        get: operations["listProviderInvocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/provider/invocations/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the final usage of a call
         * @description Charges a call that is PROCESSING: `{inputTokens, outputTokens}`, also under `usage`, also in the names of OpenAI or Anthropic. At the prices that the call was quoted at, never above its hold, and once; the same report again changes nothing. After 15 minutes without a report the hold is released.
         */
        post: operations["reportUsage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/withdrawals/intent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw earnings
         * @description Locks earnings and answers with a ticket that the vault pays within an hour, or has it reviewed first (`PENDING_REVIEW`, `ticket: null`). Needs `X-Idempotency-Key`: retry with the same key to get the same withdrawal, in its state of then. It is paid to the wallet that earned it: another `destinationAddress` is INVALID_ADDRESS. Consumer balances are never touched.
         */
        post: operations["openWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/withdrawals/{withdrawalId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell that a ticket was redeemed
         * @description Reads the chain and binds the transaction to the withdrawal; the same again is answered alike. Withdrawals that nobody reports are completed by themselves.
         */
        post: operations["completeWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my withdrawals
         * @description Newest first. Reading them cancels tickets that went stale and releases what they locked. With `Accept: text/csv` as a table, with the next page in a `Link` header.
         */
        get: operations["listWithdrawals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/withdrawals/{withdrawalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a withdrawal
         * @description With its ticket while that can be redeemed.
         */
        get: operations["readWithdrawal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/withdrawals/capability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what I could withdraw now
         * @description A forecast: only opening a withdrawal decides.
         */
        get: operations["readWithdrawalCapability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/providers/earnings/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what I have earned
         * @description In all, by service (the best 100) and by UTC day; without `from`, by service of all time and by day of the last 30. Charges less the fee of the platform. With `Accept: text/csv` the days or the services as a table.
         */
        get: operations["readEarnings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/balance/vouchers/redeem": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeem a voucher
         * @description Adds the amount of the voucher to the balance of the wallet, once per wallet. The code may be typed in any case, with or without its dashes. Sent again with the same `X-Idempotency-Key` it gets the stored answer; without one, VOUCHER_ALREADY_REDEEMED with `detail.reason` `by_this_wallet`. A voucher that has paid as many wallets as it could has the reason `used_up`.
         */
        post: operations["redeemVoucher"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell us something
         * @description A wallet's token, when there is one, binds the report to the wallet. Before anything is stored, mail addresses, tokens, keys, seed phrases, signatures and card numbers are cut out of message, route and context. The hash of a transaction stays when it is written with `0x` and named as one ("transaction 0x…", `txHash`): otherwise nothing tells it from a private key. `bug`, `billing`, `account` and `abuse` open a support task. 10 an hour per client and per wallet.
         */
        post: operations["submitFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forum/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search topics
         * @description `latest` has pinned topics first and then the newest activity, `top` the most votes. `q` finds words in titles and texts; where no topic has them, up to 200 whose titles are nearly what was typed. Without `category` the list holds every public board; `support` is for admins who ask for it. Titles and excerpts are as their authors gave them: escape them before they become part of a page.
         */
        get: operations["listTopics"];
        put?: never;
        /**
         * Open a topic
         * @description On `announcements` and `support` only admins do.
         */
        post: operations["createTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forum/topics/{topicId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a topic and its replies, oldest first
         * @description Texts are as they were written: escape them before they become part of a page.
         */
        get: operations["readTopic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forum/topics/{topicId}/replies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reply to a topic
         * @description Brings the topic to the head of the list. A locked topic takes no more replies.
         */
        post: operations["createReply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forum/topics/{topicId}/vote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Vote for a topic
         * @description One vote per wallet; voting again changes nothing.
         */
        post: operations["voteTopic"];
        /**
         * Take a vote back
         * @description Without a vote it changes nothing.
         */
        delete: operations["unvoteTopic"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my webhooks
         * @description Newest first. Their secrets are not shown again.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register a webhook
         * @description Events of the wallet are sent there by POST, signed as Standard Webhooks has it. The secret is shown in this answer only. A wallet may have ten webhooks.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description What waits for it is not sent any more.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Its URL, its events, or whether it is on. What waits is sent to the new URL. One that was disabled is switched on by `isActive: true`, and is sent what waits.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description Until `overlapSeconds` (default one day) have passed, deliveries carry a signature by each of the two.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a webhook was told
         * @description Newest first; kept for 30 days, and 10,000 of them at most.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description Under the same `webhook-id` and with the same body, at once, and by the whole schedule if that fails.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a webhook a test
         * @description Of the type `webhook.test`, which is never sent unasked. The deliveries show what came of it.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List withdrawals of all providers
         * @description Newest first; with `status=PENDING_REVIEW`, those that wait for a decision.
         */
        get: operations["listAllWithdrawals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/withdrawals/{withdrawalId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a withdrawal that waits for review
         * @description It gets its ticket now. Nobody approves a withdrawal of their own wallet (FORBIDDEN with `detail.reason` `own_withdrawal`). The daily limits do not bind a reviewer; the funds of the vault and the state of the books do (UNAVAILABLE with `detail.reason` `vault_illiquid`, `books_inconsistent`, `books_unchecked`, `chain_finding`, `chain_not_followed`, `no_ticket_signer` or `ticket_signer_differs`).
         */
        post: operations["approveWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/withdrawals/{withdrawalId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a withdrawal that waits for review
         * @description Its money is free again. The provider is told the reason.
         */
        post: operations["rejectWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a service
         * @description From the answer on no gateway admits a call of it: callers find no such service, its owner may not change it, and it is not probed. Calls under way end as they would have. Suspending it again changes nothing.
         */
        post: operations["suspendService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/wallets/{address}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a wallet
         * @description From the answer on its sessions, agent credentials and provider secrets are refused with WALLET_SUSPENDED, its services are not found, and it can open no withdrawal. Calls under way end as they would have. A wallet that was never seen is suspended for when it comes; an admin cannot be.
         */
        post: operations["suspendWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lift the suspension of a service
         * @description It is probed at once and found again when it is healthy.
         */
        post: operations["resumeService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/wallets/{address}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lift the suspension of a wallet
         * @description Everything of its own works again as it did.
         */
        post: operations["resumeWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the books now
         * @description Checks every invariant of the books in one snapshot, and that the vault holds what they say. The outcome counts as that of the regular checks does.
         */
        post: operations["reconcileNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what admins have done
         * @description Newest first, with each record as it was before and after. Filters add up.
         */
        get: operations["listAdminActs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List open disagreements between the chain and the books
         * @description Oldest first. While there is one, no withdrawal ticket is issued.
         */
        get: operations["listChainFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/findings/{findingId}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Book what the vault paid without a withdrawal
         * @description For `unexplained-redemption`. The recipient is charged as far as its earnings go and never below zero, or nobody is; the platform bears the rest.
         */
        post: operations["adoptRedemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/findings/{findingId}/reverse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back a credit whose deposit is off the chain
         * @description For `deposit-reorganised`. Its owner is charged as far as its balance goes and never below zero; the platform bears the rest. INVALID_STATE while the transaction is on the chain again.
         */
        post: operations["reverseDeposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/fees/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay accrued fees out
         * @description A withdrawal like any other, of the fees of the platform less what it has lost: within the daily limits it gets its ticket at once, else another admin reviews it. It is paid to `destinationAddress`, or to your own wallet; the wallet that is paid sees it among its withdrawals. Needs `X-Idempotency-Key`.
         */
        post: operations["withdrawFees"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/support-tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List support tasks, newest first
         * @description Each is about a topic on the board `support`, where its replies are.
         */
        get: operations["listSupportTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/support-tasks/{taskId}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a support task
         * @description Its topic is locked. A task that is closed already keeps its note, and is answered as it stands.
         */
        post: operations["closeSupportTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/forum/topics/{topicId}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pin a topic to the head of the list
         * @description It stands above what is newer until it is let go.
         */
        post: operations["pinTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/forum/topics/{topicId}/unpin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a pinned topic go
         * @description It takes its place among the others again.
         */
        post: operations["unpinTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/forum/topics/{topicId}/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lock a topic
         * @description Nobody replies any more, until it is opened again.
         */
        post: operations["lockTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/forum/topics/{topicId}/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a locked topic again
         * @description Replies are taken from now on.
         */
        post: operations["unlockTopic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/forum/topics/{topicId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a topic down
         * @description It is shown to nobody from now on, and kept.
         */
        delete: operations["removeTopic"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/forum/replies/{replyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take a reply down
         * @description It is shown to nobody from now on, and kept. An unknown one is NOT_FOUND.
         */
        delete: operations["removeReply"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/vouchers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List vouchers, newest first
         * @description Without their codes, which are kept nowhere.
         */
        get: operations["listVouchers"];
        put?: never;
        /**
         * Make vouchers
         * @description The codes are shown here and never again. What all vouchers in force may pay out must be there beforehand: the part of it that is not yet set aside is taken from your own balance, else INSUFFICIENT_BALANCE with `detail.requiredUsdc` and `detail.availableUsdc`. What vouchers leave over when they expire stays set aside for the next ones.
         */
        post: operations["createVouchers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a model by OpenAI's chat completions
         * @description For OpenAI's clients: set their base URL to `/v1` and their API key to an agent credential. `model` is an agentToolName or a service id. Everything else in the body is the provider's to judge. The header `Farebox-Max-Cost-Usdc` caps what the call may cost, as `maxCostUsdc` of `invokeService` does. The bill is in `Farebox-Invocation-Id`, `Farebox-Charged-Usdc` and `Farebox-Hold-Usdc`, and in a comment before the last event of a stream. Errors come in the shape of that API, with the gateway's own account under `error.farebox`; a provider's 400, 413, 422, 429 and 529 are passed on. With `models`, or `provider.sort` and the `modelFamily` of `model`, the request is tried at one model after the other until one answers; only that one is charged, the answer names it in `model`, and `Farebox-Attempts` lists the others.
         */
        post: operations["createChatCompletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a model by OpenAI's responses
         * @description `model` is an agentToolName or a service id. Everything else in the body is the provider's to judge. The header `Farebox-Max-Cost-Usdc` caps what the call may cost, as `maxCostUsdc` of `invokeService` does. The bill is in `Farebox-Invocation-Id`, `Farebox-Charged-Usdc` and `Farebox-Hold-Usdc`, and in a comment before the last event of a stream. Errors come in the shape of that API, with the gateway's own account under `error.farebox`; a provider's 400, 413, 422, 429 and 529 are passed on.
         */
        post: operations["createResponse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a model by Anthropic's messages
         * @description For Anthropic's clients: set their base URL to the gateway and their API key to an agent credential. `model` is an agentToolName or a service id. Everything else in the body is the provider's to judge. The header `Farebox-Max-Cost-Usdc` caps what the call may cost, as `maxCostUsdc` of `invokeService` does. The bill is in `Farebox-Invocation-Id`, `Farebox-Charged-Usdc` and `Farebox-Hold-Usdc`, and in a comment before the last event of a stream. Errors come in the shape of that API, with the gateway's own account under `error.farebox`; a provider's 400, 413, 422, 429 and 529 are passed on.
         */
        post: operations["createMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models that can be called
         * @description In OpenAI's shape: all of them that the credential may call. In Anthropic's shape, with pages, to whom sends `anthropic-version`.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a model
         * @description In OpenAI's shape, or in Anthropic's to whom sends `anthropic-version`.
         */
        get: operations["readModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "deposit.credited": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deposit is in the balance
         * @description Sent with `webhook-id`, `webhook-timestamp` and `webhook-signature` as Standard Webhooks has them. Verify the signature before anything else.
         */
        post: operations["onDepositCredited"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "balance.low": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The balance has gone below the threshold
         * @description Sent with `webhook-id`, `webhook-timestamp` and `webhook-signature` as Standard Webhooks has them. Verify the signature before anything else.
         */
        post: operations["onBalanceLow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "credential.exhausted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A credential has no call or no credit left
         * @description Sent with `webhook-id`, `webhook-timestamp` and `webhook-signature` as Standard Webhooks has them. Verify the signature before anything else.
         */
        post: operations["onCredentialExhausted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invocation.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A call failed for good, and nothing was charged
         * @description Sent with `webhook-id`, `webhook-timestamp` and `webhook-signature` as Standard Webhooks has them. Verify the signature before anything else.
         */
        post: operations["onInvocationFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "service.down": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * No target of a service is healthy any more
         * @description Sent with `webhook-id`, `webhook-timestamp` and `webhook-signature` as Standard Webhooks has them. Verify the signature before anything else.
         */
        post: operations["onServiceDown"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "service.up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A service is there again
         * @description Sent with `webhook-id`, `webhook-timestamp` and `webhook-signature` as Standard Webhooks has them. Verify the signature before anything else.
         */
        post: operations["onServiceUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "withdrawal.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A withdrawal was opened, or has another status
         * @description Sent with `webhook-id`, `webhook-timestamp` and `webhook-signature` as Standard Webhooks has them. Verify the signature before anything else.
         */
        post: operations["onWithdrawalUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        AdoptRedemptionAnswer: {
            /** @constant */
            status: "success";
            finding: {
                findingId: string;
                /** @enum {string} */
                kind: "unexplained-redemption" | "redemption-reorganised" | "deposit-reorganised" | "deposit-count" | "ticket-signer" | "database-restored";
                /** @description What disagrees: `txHash:logIndex` of an event, or the address of the vault. */
                subject: string;
                /** @description Hashes, nonces, wallets, amounts and heights to act on. */
                detail: {
                    [key: string]: string;
                };
                /** @description How an admin can settle it; empty when it ends by itself once its cause is gone. */
                acts: ("adopt" | "reverse")[];
                /** Format: date-time */
                foundAt: string;
                /** Format: date-time */
                resolvedAt: string | null;
                /** @description Null while it is open; `gone` when chain and books agree again, otherwise the act. */
                resolution: string | null;
            };
            /** @description What the wallet was charged. */
            chargedUsdc: string;
            /** @description What the platform bears. */
            borneUsdc: string;
        };
        AdoptRedemptionBody: {
            /**
             * @description Kept in the audit log.
             * @example Paid after the moment that the backup was restored to.
             */
            reason: string;
            /**
             * @description `recipient`: its earnings pay as far as they go, the platform the rest. `platform`: nobody is charged.
             * @enum {string}
             */
            chargeTo: "recipient" | "platform";
        };
        /** @description Any JSON. */
        AnyJson: unknown;
        ApiServiceSummary: {
            serviceId: string;
            serviceName: string;
            /** @description Unique; taken wherever a service id is. */
            agentToolName: string;
            summary: string;
            description: string;
            tags: string[];
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            isActive: boolean;
            /** @description Whether a call would find a healthy target now. */
            runtimeAvailable: boolean;
            /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
            targetVerified: boolean;
            /** @constant */
            serviceKind: "api";
            /** @constant */
            priceModel: "fixed";
            pricing: {
                amount: string;
                /** @constant */
                currency: "USDC";
            };
            /** @description After a raise: callers who assert no price (MCP) pay `amountUntilThen` until `effectiveAt`, and `amount` from then on. `costUsdc` must be `pricing.amount` all the time. */
            scheduledPricing?: {
                amount: string;
                /** @constant */
                currency: "USDC";
                amountUntilThen: string;
                /**
                 * Format: date-time
                 * @description When the higher terms take effect.
                 */
                effectiveAt: string;
            };
        };
        ApproveWithdrawalAnswer: {
            /** @constant */
            status: "success";
            withdrawal: {
                withdrawalId: string;
                /** @description The same as withdrawalId. */
                intentId: string;
                amountUsdc: string;
                /** @description The part of it that was earned from vouchers. Above zero, it waits for a review. */
                promotionalUsdc: string;
                /**
                 * @description What its wallet has earned, or fees of the platform that an admin pays out.
                 * @enum {string}
                 */
                source: "earnings" | "fees";
                /** @enum {string} */
                status: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @enum {string} */
                statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @description While it can be redeemed. */
                ticket: components["schemas"]["WithdrawalTicket"] | null;
                /** @description Of the transaction that redeemed it. */
                txHash: string | null;
                /** @description What its reviewer says. */
                reason: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
                ownerAddress: string;
            };
        };
        ApproveWithdrawalBody: {
            reason?: string | null;
        } | null;
        BillingBlock: {
            /** @constant */
            priceModel: "token_metered";
            holdUsdc: string;
            chargedUsdc: string;
            releasedUsdc: string;
            /**
             * @description `explicit`: by maxCostUsdc.
             * @enum {string}
             */
            preAuthMode: "explicit" | "auto";
            /**
             * @description Its tokens cost more than its hold, or are more than the call can have used: cut there.
             * @constant
             */
            capped?: true;
        };
        BudgetExhaustedError: {
            /** @enum {string} */
            code: "BUDGET_EXHAUSTED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "BUDGET_EXHAUSTED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        CallMcpAnswer: ({
            /** @constant */
            jsonrpc: "2.0";
            /** @description That of the request. */
            id: string | number;
            result: {
                [key: string]: unknown;
            };
        } | {
            /** @constant */
            jsonrpc: "2.0";
            id: (string | number) | null;
            error: {
                /** Format: int64 */
                code: number;
                message: string;
                /** @description The gateway's own error body, where it is one of ours. */
                data?: unknown;
            };
        }) | ({
            /** @constant */
            jsonrpc: "2.0";
            /** @description That of the request. */
            id: string | number;
            result: {
                [key: string]: unknown;
            };
        } | {
            /** @constant */
            jsonrpc: "2.0";
            id: (string | number) | null;
            error: {
                /** Format: int64 */
                code: number;
                message: string;
                /** @description The gateway's own error body, where it is one of ours. */
                data?: unknown;
            };
        })[];
        CallMcpBody: ({
            /** @constant */
            jsonrpc: "2.0";
            /** @description That of the request. */
            id?: string | number;
            method: string;
            params?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            jsonrpc: "2.0";
            /** @description That of the request. */
            id?: string | number;
            method: string;
            params?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        })[];
        CallMcpError: {
            /** @constant */
            jsonrpc: "2.0";
            id: (string | number) | null;
            error: {
                /** Format: int64 */
                code: number;
                message: string;
                /** @description The gateway's own error body, where it is one of ours. */
                data?: unknown;
            };
        } | {
            /** @enum {string} */
            code: "INVALID_REQUEST" | "CREDENTIAL_INVALID" | "CREDENTIAL_INACTIVE" | "WALLET_SUSPENDED" | "FORBIDDEN" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "INTERNAL" | "UNAVAILABLE" | "LOOP_DETECTED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_REQUEST" | "CREDENTIAL_INVALID" | "CREDENTIAL_INACTIVE" | "WALLET_SUSPENDED" | "FORBIDDEN" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "INTERNAL" | "UNAVAILABLE" | "LOOP_DETECTED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        ChallengeExpiredOrUnauthorizedOrVerificationFailedError: {
            /** @enum {string} */
            code: "CHALLENGE_EXPIRED" | "UNAUTHORIZED" | "VERIFICATION_FAILED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "CHALLENGE_EXPIRED" | "UNAUTHORIZED" | "VERIFICATION_FAILED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        ChallengeExpiredOrVerificationFailedError: {
            /** @enum {string} */
            code: "CHALLENGE_EXPIRED" | "VERIFICATION_FAILED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "CHALLENGE_EXPIRED" | "VERIFICATION_FAILED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        CloseSupportTaskAnswer: {
            /** @constant */
            status: "success";
            task: {
                taskId: string;
                topicId: string;
                /** @enum {string} */
                category: "bug" | "billing" | "account" | "abuse";
                /** @enum {string} */
                status: "open" | "closed";
                title: string;
                message: string;
                /** @description What the report told beside its message: feedbackId, source, route, context. */
                report: {
                    [key: string]: unknown;
                };
                /** @description Who sent the report; null: unsigned. */
                walletAddress: string | null;
                note: string | null;
                closedBy: string | null;
                /** Format: date-time */
                closedAt: string | null;
                /** Format: date-time */
                createdAt: string;
            };
        };
        CloseSupportTaskBody: {
            note: string;
        };
        CompleteWithdrawalAnswer: {
            /** @constant */
            status: "success";
            ownerAddress: string;
            withdrawalId: string;
            /** @description The same as withdrawalId. */
            intentId: string;
            /** @constant */
            statusLabel: "COMPLETED";
            txHash: string;
        };
        CompleteWithdrawalBody: {
            /**
             * @description Transaction that redeemed the ticket.
             * @example 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060
             */
            txHash?: string;
        };
        ConfirmDepositAnswer: {
            /** @constant */
            status: "success";
            /** @description That of the intent. */
            intentId: string;
            intent: components["schemas"]["DepositIntent"];
        };
        /** @description Hints of older clients, never trusted: the chain alone decides. May be left out. */
        ConfirmDepositBody: ({
            eventKey?: string;
            /** Format: int32 */
            confirmations?: number;
        } & {
            [key: string]: unknown;
        }) | null;
        /** @description A chat completion of the provider, as it came. */
        CreateChatCompletionAnswer: {
            [key: string]: unknown;
        };
        CreateChatCompletionBody: {
            /** @description Required unless `models` is there; tried before them. */
            model?: string | null;
            /** @description Tried in order until one answers; 5 at most, with `model`. */
            models?: string[] | null;
            /** @description Has the request tried at the services of the `modelFamily` of `model`, the best 5 first, by `sort`. */
            provider?: {
                /** @enum {string} */
                sort: "price" | "latency" | "throughput";
            } | null;
            stream?: boolean | null;
            messages: unknown[];
            stream_options?: ({
                include_usage?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        CreateChatCompletionError: {
            error: {
                message: string;
                type: string;
                param: string | null;
                code: string | null;
                farebox: {
                    code: string;
                    requestId: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        /** @description A message of the provider, as it came. */
        CreateMessageAnswer: {
            [key: string]: unknown;
        };
        CreateMessageBody: {
            model: string;
            stream?: boolean | null;
            messages: unknown[];
        } & {
            [key: string]: unknown;
        };
        CreateMessageError: {
            /** @constant */
            type: "error";
            error: {
                type: string;
                message: string;
                farebox: {
                    code: string;
                    requestId: string;
                } & {
                    [key: string]: unknown;
                };
            };
            request_id: string;
        };
        CreateReplyAnswer: {
            /** @constant */
            status: "success";
            reply: {
                replyId: string;
                topicId: string;
                author: {
                    walletAddress: string | null;
                    username: string;
                    /** @description Whether this is a wallet of the operator of the gateway. */
                    isStaff: boolean;
                };
                body: string;
                /** Format: date-time */
                createdAt: string;
            };
        };
        CreateReplyBody: {
            body: string;
        };
        /** @description A response of the provider, as it came. */
        CreateResponseAnswer: {
            [key: string]: unknown;
        };
        CreateResponseBody: {
            /** @description Required unless `models` is there; tried before them. */
            model?: string | null;
            /** @description Tried in order until one answers; 5 at most, with `model`. */
            models?: string[] | null;
            /** @description Has the request tried at the services of the `modelFamily` of `model`, the best 5 first, by `sort`. */
            provider?: {
                /** @enum {string} */
                sort: "price" | "latency" | "throughput";
            } | null;
            stream?: boolean | null;
            input: string | unknown[];
            messages?: unknown;
        } & {
            [key: string]: unknown;
        };
        CreateResponseError: {
            error: {
                message: string;
                type: string;
                param: string | null;
                code: string | null;
                farebox: {
                    code: string;
                    requestId: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        CreateTopicAnswer: {
            /** @constant */
            status: "success";
            topic: {
                topicId: string;
                title: string;
                /** @enum {string} */
                category: "general" | "providers" | "agents" | "announcements" | "support";
                excerpt: string;
                author: {
                    walletAddress: string | null;
                    username: string;
                    /** @description Whether this is a wallet of the operator of the gateway. */
                    isStaff: boolean;
                };
                /** Format: int64 */
                replyCount: number;
                /** Format: int64 */
                voteCount: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActivityAt: string;
                pinned: boolean;
                locked: boolean;
            };
        };
        CreateTopicBody: {
            title: string;
            /** @enum {string} */
            category: "general" | "providers" | "agents" | "announcements" | "support";
            body: string;
        };
        CreateVouchersAnswer: {
            /** @constant */
            status: "success";
            vouchers: {
                voucherId: string;
                /** @description The same for vouchers that were made together. */
                batchId: string;
                amountUsdc: string;
                /** Format: int32 */
                maxRedemptions: number;
                /** Format: int32 */
                redemptions: number;
                /** @enum {string} */
                status: "active" | "used_up" | "expired";
                /** Format: date-time */
                expiresAt: string;
                createdBy: string;
                /** Format: date-time */
                createdAt: string;
                /** @example FBX-7K2M-9QXA-W3RD-0TZE-5HBN-C8VJ-1PGS */
                voucherCode: string;
            }[];
            /** @description What they pay when all are redeemed. */
            totalUsdc: string;
            /** @description What of it was taken from the balance of the admin: the part that promotions did not hold yet. */
            fundedUsdc: string;
        };
        CreateVouchersBody: {
            amountUsdc: string | number;
            /**
             * Format: int32
             * @default 1
             */
            count?: number;
            /**
             * Format: int32
             * @default 1
             */
            maxRedemptions?: number;
            /** Format: date-time */
            expiresAt: string;
        };
        CreateWebhookAnswer: {
            /** @constant */
            status: "success";
            webhook: {
                id: string;
                url: string;
                events: ("deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
                /** @enum {string} */
                status: "active" | "disabled";
                /**
                 * @description `owner`: switched off. `gone`: the receiver answered 410. `failing`: it took nothing for five days.
                 * @enum {string|null}
                 */
                disabledReason: "owner" | "gone" | "failing" | null;
                /**
                 * Format: date-time
                 * @description First failure after the last success.
                 */
                failingSince: string | null;
                /** Format: date-time */
                lastSuccessAt: string | null;
                /**
                 * Format: date-time
                 * @description Until then the secret before signs, too.
                 */
                previousSecretUntil: string | null;
                /**
                 * Format: int64
                 * @description Events not queued, because there were too many.
                 */
                suppressedLastDay: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            };
            /** @description Shown this once. Verify `webhook-signature` with it (Standard Webhooks). */
            secret: string;
        };
        CreateWebhookBody: {
            /** @description Where to POST to; on the public internet. */
            url: string;
            events: ("deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
        };
        Credential: {
            id: string;
            credential_id: string;
            name: string;
            /** Format: int64 */
            maxCalls: number | null;
            creditLimit: string | null;
            /** @description Most that one call may cost; null: no cap. */
            maxCostPerCallUsdc: string | null;
            /** Format: int32 */
            rpm: number;
            /** @enum {string} */
            resetInterval: "hourly" | "daily" | "weekly" | "monthly" | "never";
            /** @description Null: all; empty: none. */
            allowedServices: string[] | null;
            /**
             * Format: int64
             * @description Unix seconds; null: never.
             */
            expiresAt: number | null;
            /** @enum {string} */
            status: "active" | "revoked" | "expired" | "deleted";
            /** Format: date-time */
            createdAt: string;
        };
        CredentialInactiveOrCredentialInvalidError: {
            /** @enum {string} */
            code: "CREDENTIAL_INACTIVE" | "CREDENTIAL_INVALID";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "CREDENTIAL_INACTIVE" | "CREDENTIAL_INVALID";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        CredentialInactiveOrCredentialInvalidOrUnauthorizedError: {
            /** @enum {string} */
            code: "CREDENTIAL_INACTIVE" | "CREDENTIAL_INVALID" | "UNAUTHORIZED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "CREDENTIAL_INACTIVE" | "CREDENTIAL_INVALID" | "UNAUTHORIZED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        CredentialNotFoundOrNotFoundError: {
            /** @enum {string} */
            code: "CREDENTIAL_NOT_FOUND" | "NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "CREDENTIAL_NOT_FOUND" | "NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        DeleteCredentialAnswer: {
            /** @constant */
            status: "success";
            credentialId: string;
            credential: components["schemas"]["Credential"];
        };
        DeleteProviderSecretAnswer: {
            /** @constant */
            status: "success";
            secretId: string;
            secret: components["schemas"]["ProviderSecret"];
        };
        DeleteServiceAnswer: {
            /** @constant */
            status: "success";
            serviceId: string;
            message: string;
        };
        DeleteSigningSecretAnswer: {
            /** @constant */
            status: "success";
            keyId: string;
        };
        DeleteWebhookAnswer: {
            /** @constant */
            status: "success";
            webhookId: string;
        };
        DepositIntent: {
            id: string;
            intentId: string;
            depositIntentId: string;
            /** @enum {string} */
            status: "pending" | "confirming" | "credited" | "rejected";
            tx_hash: string;
            txHash: string;
            /** @description Chain, transaction and log index of the (first) vault event, once it is credited. */
            eventKey: string | null;
            /** @description What was credited; before that, what was claimed. */
            amountUsdc: string;
            /** @description Sent when another amount was claimed than the vault's event says. */
            claimedAmountUsdc?: string;
            /** Format: int64 */
            confirmations: number;
            /** Format: int64 */
            requiredConfirmations: number;
            /**
             * @description Sent when it was rejected.
             * @enum {string}
             */
            reason?: "reverted" | "no_vault_deposit" | "wrong_depositor" | "unknown_after_24h";
            /** Format: date-time */
            createdAt: string;
        };
        DepositNotConfirmedError: {
            /** @enum {string} */
            code: "DEPOSIT_NOT_CONFIRMED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "DEPOSIT_NOT_CONFIRMED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        DepositNotFoundOrNotFoundError: {
            /** @enum {string} */
            code: "DEPOSIT_NOT_FOUND" | "NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "DEPOSIT_NOT_FOUND" | "NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        DepositRejectedError: {
            /** @enum {string} */
            code: "DEPOSIT_REJECTED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "DEPOSIT_REJECTED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        DiscoverServicesAnswer: components["schemas"]["ServiceSummary"][];
        DraftServiceAnswer: {
            /** @constant */
            status: "success";
            /** @description A body for `POST /services`, once a price is added. Secrets of the command are in it. */
            manifest: {
                [key: string]: unknown;
            };
            /** @description What to look at before registering; `path` in the manifest. */
            warnings: {
                path: string;
                message: string;
            }[];
            /** @description What of the command was left out, and why. */
            unsupported: {
                option: string;
                message: string;
            }[];
        };
        DraftServiceBody: {
            /**
             * @description A curl command as it would be typed into a shell. It is read, never run.
             * @example curl https://api.weather.example/v1/now -H 'X-Api-Key: 3f9c' --json '{"city":"Lisbon"}'
             */
            curlCommand: string;
        };
        DuplicateServiceIdError: {
            /** @enum {string} */
            code: "DUPLICATE_SERVICE_ID";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "DUPLICATE_SERVICE_ID";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        DuplicateTxHashOrIdempotencyConflictOrIdempotencyInProgressError: {
            /** @enum {string} */
            code: "DUPLICATE_TX_HASH" | "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "DUPLICATE_TX_HASH" | "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        EarnedCall: {
            invocationId: string;
            serviceId: string;
            /**
             * @description PENDING: held and running. PROCESSING: a model answered, and its usage is awaited. SUCCEEDED: charged. FAILED_RETRYABLE and FAILED_FINAL: released, nothing is charged.
             * @enum {string}
             */
            status: "PENDING" | "PROCESSING" | "SUCCEEDED" | "FAILED_RETRYABLE" | "FAILED_FINAL";
            chargedUsdc: string;
            holdUsdc: string;
            releasedUsdc: string;
            errorCode: string | null;
            /** Format: int64 */
            latencyMs: number | null;
            /** Format: int32 */
            attempts: number;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            finishedAt: string | null;
            feeUsdc: string;
            usage: components["schemas"]["TokenUsage"] | null;
            /** @description Why its usage is awaited; null when it is not. */
            processingReason: string | null;
            /**
             * Format: date-time
             * @description Until when its usage may be reported.
             */
            reportUsageBy: string | null;
        };
        EmailVerificationDailyLimitReachedOrRateLimitedError: {
            /** @enum {string} */
            code: "EMAIL_VERIFICATION_DAILY_LIMIT_REACHED" | "RATE_LIMITED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "EMAIL_VERIFICATION_DAILY_LIMIT_REACHED" | "RATE_LIMITED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        EmailVerificationExpiredError: {
            /** @enum {string} */
            code: "EMAIL_VERIFICATION_EXPIRED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "EMAIL_VERIFICATION_EXPIRED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        EmailVerificationInvalidCodeOrEmailVerificationNotPendingOrInvalidPayloadOrInvalidRequestError: {
            /** @enum {string} */
            code: "EMAIL_VERIFICATION_INVALID_CODE" | "EMAIL_VERIFICATION_NOT_PENDING" | "INVALID_PAYLOAD" | "INVALID_REQUEST";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "EMAIL_VERIFICATION_INVALID_CODE" | "EMAIL_VERIFICATION_NOT_PENDING" | "INVALID_PAYLOAD" | "INVALID_REQUEST";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        EmailVerificationLockedError: {
            /** @enum {string} */
            code: "EMAIL_VERIFICATION_LOCKED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "EMAIL_VERIFICATION_LOCKED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        EmailVerificationNotPendingOrInvalidPayloadOrInvalidRequestError: {
            /** @enum {string} */
            code: "EMAIL_VERIFICATION_NOT_PENDING" | "INVALID_PAYLOAD" | "INVALID_REQUEST";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "EMAIL_VERIFICATION_NOT_PENDING" | "INVALID_PAYLOAD" | "INVALID_REQUEST";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        ForbiddenOrWalletSuspendedError: {
            /** @enum {string} */
            code: "FORBIDDEN" | "WALLET_SUSPENDED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "FORBIDDEN" | "WALLET_SUSPENDED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        GatewayInterruptedOrUnavailableError: {
            /** @enum {string} */
            code: "GATEWAY_INTERRUPTED" | "UNAVAILABLE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "GATEWAY_INTERRUPTED" | "UNAVAILABLE";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        IdempotencyConflictOrIdempotencyInProgressError: {
            /** @enum {string} */
            code: "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        IdempotencyConflictOrIdempotencyInProgressOrVoucherAlreadyRedeemedError: {
            /** @enum {string} */
            code: "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS" | "VOUCHER_ALREADY_REDEEMED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS" | "VOUCHER_ALREADY_REDEEMED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        IdempotencyInProgressOrInvalidStateOrUsageAlreadyFinalError: {
            /** @enum {string} */
            code: "IDEMPOTENCY_IN_PROGRESS" | "INVALID_STATE" | "USAGE_ALREADY_FINAL";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "IDEMPOTENCY_IN_PROGRESS" | "INVALID_STATE" | "USAGE_ALREADY_FINAL";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InsufficientBalanceError: {
            /** @enum {string} */
            code: "INSUFFICIENT_BALANCE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INSUFFICIENT_BALANCE";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InsufficientProviderReceivableError: {
            /** @enum {string} */
            code: "INSUFFICIENT_PROVIDER_RECEIVABLE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INSUFFICIENT_PROVIDER_RECEIVABLE";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InternalError: {
            /** @enum {string} */
            code: "INTERNAL";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INTERNAL";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvalidAddressOrInvalidManifestOrInvalidRequestOrUnsafeTargetUrlError: {
            /** @enum {string} */
            code: "INVALID_ADDRESS" | "INVALID_MANIFEST" | "INVALID_REQUEST" | "UNSAFE_TARGET_URL";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_ADDRESS" | "INVALID_MANIFEST" | "INVALID_REQUEST" | "UNSAFE_TARGET_URL";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvalidAddressOrInvalidPayloadOrInvalidRequestError: {
            /** @enum {string} */
            code: "INVALID_ADDRESS" | "INVALID_PAYLOAD" | "INVALID_REQUEST";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_ADDRESS" | "INVALID_PAYLOAD" | "INVALID_REQUEST";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvalidAddressOrInvalidPayloadOrInvalidRequestOrMissingIdempotencyKeyError: {
            /** @enum {string} */
            code: "INVALID_ADDRESS" | "INVALID_PAYLOAD" | "INVALID_REQUEST" | "MISSING_IDEMPOTENCY_KEY";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_ADDRESS" | "INVALID_PAYLOAD" | "INVALID_REQUEST" | "MISSING_IDEMPOTENCY_KEY";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvalidAddressOrInvalidRequestOrMissingAddressError: {
            /** @enum {string} */
            code: "INVALID_ADDRESS" | "INVALID_REQUEST" | "MISSING_ADDRESS";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_ADDRESS" | "INVALID_REQUEST" | "MISSING_ADDRESS";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvalidPayloadOrInvalidRequestError: {
            /** @enum {string} */
            code: "INVALID_PAYLOAD" | "INVALID_REQUEST";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_PAYLOAD" | "INVALID_REQUEST";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvalidPayloadOrInvalidRequestOrInvalidTxHashError: {
            /** @enum {string} */
            code: "INVALID_PAYLOAD" | "INVALID_REQUEST" | "INVALID_TX_HASH";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_PAYLOAD" | "INVALID_REQUEST" | "INVALID_TX_HASH";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvalidPayloadOrInvalidRequestOrUnsafeTargetUrlError: {
            /** @enum {string} */
            code: "INVALID_PAYLOAD" | "INVALID_REQUEST" | "UNSAFE_TARGET_URL";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_PAYLOAD" | "INVALID_REQUEST" | "UNSAFE_TARGET_URL";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvalidRequestError: {
            /** @enum {string} */
            code: "INVALID_REQUEST";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_REQUEST";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvalidStateError: {
            /** @enum {string} */
            code: "INVALID_STATE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_STATE";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvocationNotFoundOrNotFoundError: {
            /** @enum {string} */
            code: "INVOCATION_NOT_FOUND" | "NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVOCATION_NOT_FOUND" | "NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        InvokeServiceAnswer: {
            invocationId: string;
            /** @constant */
            status: "SUCCEEDED";
            chargedUsdc: string;
            /** @description LLM services. */
            usage?: components["schemas"]["TokenUsage"];
            /** @description LLM services: the bill. */
            gateway?: components["schemas"]["BillingBlock"];
            /**
             * @description The call is so old that its result is kept no longer: `result` and `receipt.responseHash` are null. Absent as long as it is.
             * @constant
             */
            answerExpired?: true;
            receipt: {
                invocationId: string;
                serviceId: string;
                credentialId: string;
                /** Format: date-time */
                startedAt: string;
                /** Format: date-time */
                finishedAt: string | null;
                /** Format: int64 */
                latencyMs: number | null;
                /**
                 * Format: int32
                 * @description Targets that were tried.
                 */
                attempts: number;
                requestHash: string;
                responseHash: string | null;
                /** @description LLM services: the tokens, once they are known. */
                usage?: components["schemas"]["TokenUsage"];
                /** @description In what the result does not fit the service's own schema; absent when it does. */
                responseIssues?: {
                    path: string;
                    message: string;
                }[];
            };
            /** @description The provider's JSON, or `{value}` around a bare array or scalar, or `{contentType, text}` or `{contentType, base64}` of another type; null when it was streamed, or is kept no longer. */
            result: Record<string, unknown> | null;
        };
        InvokeServiceBody: {
            /**
             * @description A service id or an agentToolName.
             * @example weather
             */
            serviceId: string;
            /**
             * @description Unique in the credential: the same call is paid once, however often it is sent.
             * @example order-4711
             */
            idempotencyKey?: string | null;
            /**
             * @description Fixed-price services: the price seen in discovery, to the micro-USDC.
             * @example 0.050000
             */
            costUsdc?: (string | number) | null;
            /**
             * @description Most that the call may cost. LLM services: the hold, instead of the automatic one; lowers the bound on output tokens to what it pays for. Below a fixed price: PRICE_MISMATCH.
             * @example 0.500000
             */
            maxCostUsdc?: (string | number) | null;
            /**
             * @description `sync` when absent.
             * @enum {string|null}
             */
            responseMode?: "sync" | "stream" | null;
            payload?: {
                /** @description Forwarded to the provider; to an LLM service the request to the model. */
                body?: {
                    [key: string]: unknown;
                } | null;
                /** @description Added to the query string of the provider's target. An array repeats its parameter. */
                query?: {
                    [key: string]: (string | number | boolean) | (string | number | boolean)[];
                } | null;
            } | null;
        };
        IssueChallengeAnswer: {
            /** @constant */
            success: true;
            challenge: string;
            domain: string;
            /** Format: date-time */
            expiresAt: string;
        };
        IssueCredentialAnswer: {
            /** @constant */
            status: "success";
            /** @description Shown this once. Send it as `X-Credential`. */
            token: string;
            credentialId: string;
            credential: {
                id: string;
                credential_id: string;
                name: string;
                /** Format: int64 */
                maxCalls: number | null;
                creditLimit: string | null;
                /** @description Most that one call may cost; null: no cap. */
                maxCostPerCallUsdc: string | null;
                /** Format: int32 */
                rpm: number;
                /** @enum {string} */
                resetInterval: "hourly" | "daily" | "weekly" | "monthly" | "never";
                /** @description Null: all; empty: none. */
                allowedServices: string[] | null;
                /**
                 * Format: int64
                 * @description Unix seconds; null: never.
                 */
                expiresAt: number | null;
                /** @enum {string} */
                status: "active" | "revoked" | "expired" | "deleted";
                /** Format: date-time */
                createdAt: string;
                /** @description Shown this once. Send it as `X-Credential`. */
                token: string;
            };
        };
        IssueCredentialBody: {
            name?: string | null;
            /**
             * Format: int64
             * @description Cap on calls, for life.
             */
            maxCalls?: number | null;
            creditLimit?: (string | number) | null;
            maxCostPerCallUsdc?: (string | number) | null;
            /** Format: int32 */
            rpm?: number | null;
            /** @enum {string|null} */
            resetInterval?: "hourly" | "daily" | "weekly" | "monthly" | "never" | null;
            /**
             * Format: int32
             * @description Seconds from now until it expires.
             */
            expiresInSec?: number | null;
            /** @description When it expires: ISO 8601 or Unix seconds. */
            expiresAt?: (string | number) | null;
            /** @description The same as `expiresAt`. */
            expiration?: (string | number) | null;
            allowedServices?: string[] | null;
        };
        IssueProfileChallengeAnswer: {
            /** @constant */
            success: true;
            challenge: string;
            domain: string;
            /** Format: date-time */
            expiresAt: string;
        };
        IssueProviderSecretAnswer: {
            /** @constant */
            status: "success";
            secret: {
                id: string;
                name: string;
                /** Format: int32 */
                rpm: number;
                creditLimit: string | null;
                /** @enum {string} */
                resetInterval: "hourly" | "daily" | "weekly" | "monthly" | "never";
                /** Format: int64 */
                maxCalls: number | null;
                /**
                 * Format: int64
                 * @description Unix seconds; null: never.
                 */
                expiresAt: number | null;
                maskedKey: string;
                /**
                 * @description `expired`: its time or its calls are over.
                 * @enum {string}
                 */
                status: "active" | "expired" | "deleted";
                /** Format: int64 */
                callsUsed: number;
                /** @description Captured by late usage reports in the running reset interval. */
                capturedUsdc: string;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastUsedAt: string | null;
                /** @description Shown this once. Send it as `Authorization: Bearer psk_...`. */
                secretKey: string;
            };
        };
        IssueProviderSecretBody: {
            name?: string | null;
            /** Format: int32 */
            rpm?: number | null;
            /**
             * @description Cap on what late usage reports made with it may capture in a reset interval, in USDC.
             * @example 25.00
             */
            creditLimit?: (string | number) | null;
            /** @enum {string|null} */
            resetInterval?: "hourly" | "daily" | "weekly" | "monthly" | "never" | null;
            /**
             * Format: int64
             * @description Cap on the requests that it may be used for, for life.
             */
            maxCalls?: number | null;
            /**
             * Format: int32
             * @description Seconds from now until it expires.
             */
            expiresInSec?: number | null;
            /** @description When it expires: ISO 8601 or Unix seconds. */
            expiresAt?: (string | number) | null;
            /** @description The same as `expiresAt`. */
            expiration?: (string | number) | null;
        };
        IssueSigningSecretAnswer: {
            /** @constant */
            status: "success";
            signingSecret: components["schemas"]["SigningSecret"];
            /** @description Shown this once. The key of the HMAC is its 32 bytes, in Base64 after `sigsec_`. */
            secret: string;
        };
        LedgerEntry: {
            entryId: string;
            /** @description Entries of one movement share it: its kind and the id of the record behind it. */
            movementId: string;
            /** @description What moved the money, such as `deposit`, `capture` or `withdrawal-paid`. */
            kind: string;
            /** @enum {string} */
            account: "consumer" | "provider";
            /** @description Signed: negative for money that left the account. */
            amountUsdc: string;
            /** @description The record behind it: an invocation, a deposit, a withdrawal. */
            reference: string;
            /** Format: date-time */
            createdAt: string;
        };
        LiabilitiesTree: {
            /**
             * Format: date-time
             * @description When it was true last: no money has moved between the tree and then.
             */
            asOf: string;
            merkleRoot: string;
            /**
             * Format: int64
             * @description Leaves: one for each wallet with an account.
             */
            wallets: number;
            /** @description The sum at the root: what all wallets are owed together. */
            walletsUsdc: string;
            consumerUsdc: string;
            providerUsdc: string;
            /** @description Fees and promotions, less losses; in no leaf. */
            platformUsdc: string;
            /** @description The part of `providerUsdc` for which tickets may be out, so that the vault may have paid it. */
            lockedUsdc: string;
            /**
             * Format: int64
             * @description Of the block at which the vault was looked at; null while the chain was away.
             */
            blockNumber: number | null;
            vaultBalanceUsdc: string | null;
        };
        LimitExceededError: {
            /** @enum {string} */
            code: "LIMIT_EXCEEDED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "LIMIT_EXCEEDED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        LimitExceededOrLlmAutoHoldLimitExceededOrPriceMismatchError: {
            /** @enum {string} */
            code: "LIMIT_EXCEEDED" | "LLM_AUTO_HOLD_LIMIT_EXCEEDED" | "PRICE_MISMATCH";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "LIMIT_EXCEEDED" | "LLM_AUTO_HOLD_LIMIT_EXCEEDED" | "PRICE_MISMATCH";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        ListAdminActsAnswer: {
            /** @constant */
            status: "success";
            entries: {
                id: string;
                actor: string;
                /** @example service.suspend */
                action: string;
                /** @description Id of the record, or address of the wallet. */
                target: string;
                /** @description The record before the act; null when there was none. */
                before: unknown;
                after: unknown;
                reason: string | null;
                /** Format: date-time */
                at: string;
            }[];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListAllWithdrawalsAnswer: {
            /** @constant */
            status: "success";
            withdrawals: {
                withdrawalId: string;
                /** @description The same as withdrawalId. */
                intentId: string;
                amountUsdc: string;
                /** @description The part of it that was earned from vouchers. Above zero, it waits for a review. */
                promotionalUsdc: string;
                /**
                 * @description What its wallet has earned, or fees of the platform that an admin pays out.
                 * @enum {string}
                 */
                source: "earnings" | "fees";
                /** @enum {string} */
                status: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @enum {string} */
                statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @description While it can be redeemed. */
                ticket: components["schemas"]["WithdrawalTicket"] | null;
                /** @description Of the transaction that redeemed it. */
                txHash: string | null;
                /** @description What its reviewer says. */
                reason: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
                ownerAddress: string;
            }[];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListChainFindingsAnswer: {
            /** @constant */
            status: "success";
            findings: {
                findingId: string;
                /** @enum {string} */
                kind: "unexplained-redemption" | "redemption-reorganised" | "deposit-reorganised" | "deposit-count" | "ticket-signer" | "database-restored";
                /** @description What disagrees: `txHash:logIndex` of an event, or the address of the vault. */
                subject: string;
                /** @description Hashes, nonces, wallets, amounts and heights to act on. */
                detail: {
                    [key: string]: string;
                };
                /** @description How an admin can settle it; empty when it ends by itself once its cause is gone. */
                acts: ("adopt" | "reverse")[];
                /** Format: date-time */
                foundAt: string;
                /** Format: date-time */
                resolvedAt: string | null;
                /** @description Null while it is open; `gone` when chain and books agree again, otherwise the act. */
                resolution: string | null;
            }[];
        };
        ListCredentialAuditLogsAnswer: {
            /** @constant */
            status: "success";
            logs: {
                id: string;
                /** @enum {string} */
                action: "issued" | "updated" | "quota_updated" | "revoked" | "rotated" | "deleted" | "spending_limit_updated";
                /** @description Null: it was about the spending policy. */
                credentialId: string | null;
                actor: string;
                /** Format: date-time */
                at: string;
                /** @description Such as `before` and `after` of what was changed. */
                detail: {
                    [key: string]: unknown;
                };
            }[];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListCredentialsAnswer: {
            /** @constant */
            status: "success";
            credentials: {
                id: string;
                credential_id: string;
                name: string;
                /** Format: int64 */
                maxCalls: number | null;
                creditLimit: string | null;
                /** @description Most that one call may cost; null: no cap. */
                maxCostPerCallUsdc: string | null;
                /** Format: int32 */
                rpm: number;
                /** @enum {string} */
                resetInterval: "hourly" | "daily" | "weekly" | "monthly" | "never";
                /** @description Null: all; empty: none. */
                allowedServices: string[] | null;
                /**
                 * Format: int64
                 * @description Unix seconds; null: never.
                 */
                expiresAt: number | null;
                /** @enum {string} */
                status: "active" | "revoked" | "expired" | "deleted";
                /** Format: date-time */
                createdAt: string;
                /** Format: int64 */
                callsUsed: number;
                /** @description Spent in the running reset interval. */
                spentUsdc: string;
                /** @description Set aside for running calls. */
                heldUsdc: string;
            }[];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListDepositsAnswer: {
            /** @constant */
            status: "success";
            deposits: components["schemas"]["DepositIntent"][];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListLedgerEntriesAnswer: {
            /** @constant */
            status: "success";
            entries: components["schemas"]["LedgerEntry"][];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListMarketTagsAnswer: {
            /** @constant */
            status: "success";
            tags: {
                tag: string;
                /** Format: int64 */
                services: number;
            }[];
        };
        ListModelsAnswer: {
            /** @constant */
            object: "list";
            data: {
                id: string;
                /** @constant */
                object: "model";
                /** Format: int64 */
                created: number;
                owned_by: string;
            }[];
        } | {
            data: {
                /** @constant */
                type: "model";
                id: string;
                display_name: string;
                /** Format: date-time */
                created_at: string;
            }[];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        ListModelsError: {
            error: {
                message: string;
                type: string;
                param: string | null;
                code: string | null;
                farebox: {
                    code: string;
                    requestId: string;
                } & {
                    [key: string]: unknown;
                };
            };
        } | {
            /** @constant */
            type: "error";
            error: {
                type: string;
                message: string;
                farebox: {
                    code: string;
                    requestId: string;
                } & {
                    [key: string]: unknown;
                };
            };
            request_id: string;
        };
        ListProviderInvocationsAnswer: {
            /** @constant */
            status: "success";
            invocations: components["schemas"]["EarnedCall"][];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListProviderSecretAuditLogsAnswer: {
            /** @constant */
            status: "success";
            logs: {
                id: string;
                /** @enum {string} */
                action: "issued" | "deleted";
                secretId: string;
                actor: string;
                /** Format: date-time */
                at: string;
                detail: {
                    [key: string]: unknown;
                };
            }[];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListProviderSecretsAnswer: {
            /** @constant */
            status: "success";
            secrets: components["schemas"]["ProviderSecret"][];
        };
        ListProviderServicesAnswer: {
            /** @constant */
            status: "success";
            services: components["schemas"]["Service"][];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListSealsAnswer: {
            /** @constant */
            status: "success";
            seals: components["schemas"]["Seal"][];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListServicesAnswer: {
            /** @constant */
            status: "success";
            services: components["schemas"]["Service"][];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListSigningKeysAnswer: {
            keys: {
                /** @constant */
                kty: "OKP";
                /** @constant */
                crv: "Ed25519";
                /** @description `keyid` of its signatures. */
                kid: string;
                x: string;
                /** @constant */
                use: "sig";
                /** Format: int64 */
                nbf: number;
                /** Format: int64 */
                exp: number;
            }[];
        };
        ListSupportTasksAnswer: {
            /** @constant */
            status: "success";
            tasks: {
                taskId: string;
                topicId: string;
                /** @enum {string} */
                category: "bug" | "billing" | "account" | "abuse";
                /** @enum {string} */
                status: "open" | "closed";
                title: string;
                message: string;
                /** @description What the report told beside its message: feedbackId, source, route, context. */
                report: {
                    [key: string]: unknown;
                };
                /** @description Who sent the report; null: unsigned. */
                walletAddress: string | null;
                note: string | null;
                closedBy: string | null;
                /** Format: date-time */
                closedAt: string | null;
                /** Format: date-time */
                createdAt: string;
            }[];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListTopicsAnswer: {
            /** @constant */
            status: "success";
            topics: {
                topicId: string;
                title: string;
                /** @enum {string} */
                category: "general" | "providers" | "agents" | "announcements" | "support";
                excerpt: string;
                author: {
                    walletAddress: string | null;
                    username: string;
                    /** @description Whether this is a wallet of the operator of the gateway. */
                    isStaff: boolean;
                };
                /** Format: int64 */
                replyCount: number;
                /** Format: int64 */
                voteCount: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActivityAt: string;
                pinned: boolean;
                locked: boolean;
            }[];
            pagination: {
                /** Format: int64 */
                total: number;
                /** Format: int32 */
                page: number;
                /** Format: int32 */
                pageSize: number;
            };
        };
        ListUsageAnswer: {
            /** @constant */
            status: "success";
            logs: components["schemas"]["UsageLog"][];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListVouchersAnswer: {
            /** @constant */
            status: "success";
            vouchers: {
                voucherId: string;
                /** @description The same for vouchers that were made together. */
                batchId: string;
                amountUsdc: string;
                /** Format: int32 */
                maxRedemptions: number;
                /** Format: int32 */
                redemptions: number;
                /** @enum {string} */
                status: "active" | "used_up" | "expired";
                /** Format: date-time */
                expiresAt: string;
                createdBy: string;
                /** Format: date-time */
                createdAt: string;
            }[];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListWebhookDeliveriesAnswer: {
            /** @constant */
            status: "success";
            deliveries: {
                id: string;
                /** @enum {string} */
                type: "deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                /** @enum {string} */
                status: "pending" | "delivered" | "failed";
                /** Format: int64 */
                attempts: number;
                /**
                 * Format: int32
                 * @description Of the last answer.
                 */
                responseStatus: number | null;
                /**
                 * @description Of the last attempt.
                 * @enum {string|null}
                 */
                error: "status" | "timeout" | "connect" | "reset" | "redirect" | "blocked_address" | "too_large" | "encoding" | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastAttemptAt: string | null;
                /**
                 * Format: date-time
                 * @description While it is pending and the webhook active.
                 */
                nextAttemptAt: string | null;
                payload: {
                    /** @enum {string} */
                    type: "deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                    /** Format: date-time */
                    timestamp: string;
                    /** @description See docs/webhooks.md for each type. */
                    data: {
                        [key: string]: components["schemas"]["AnyJson"];
                    };
                };
            }[];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ListWebhooksAnswer: {
            /** @constant */
            status: "success";
            webhooks: {
                id: string;
                url: string;
                events: ("deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
                /** @enum {string} */
                status: "active" | "disabled";
                /**
                 * @description `owner`: switched off. `gone`: the receiver answered 410. `failing`: it took nothing for five days.
                 * @enum {string|null}
                 */
                disabledReason: "owner" | "gone" | "failing" | null;
                /**
                 * Format: date-time
                 * @description First failure after the last success.
                 */
                failingSince: string | null;
                /** Format: date-time */
                lastSuccessAt: string | null;
                /**
                 * Format: date-time
                 * @description Until then the secret before signs, too.
                 */
                previousSecretUntil: string | null;
                /**
                 * Format: int64
                 * @description Events not queued, because there were too many.
                 */
                suppressedLastDay: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            }[];
        };
        ListWithdrawalsAnswer: {
            /** @constant */
            status: "success";
            ownerAddress: string;
            withdrawals: components["schemas"]["Withdrawal"][];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        LlmServiceSummary: {
            serviceId: string;
            serviceName: string;
            /** @description Unique; taken wherever a service id is. */
            agentToolName: string;
            summary: string;
            description: string;
            tags: string[];
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            isActive: boolean;
            /** @description Whether a call would find a healthy target now. */
            runtimeAvailable: boolean;
            /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
            targetVerified: boolean;
            inputPricePer1MTokensUsdc: string;
            outputPricePer1MTokensUsdc: string;
            /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
            cacheReadPricePer1M: string | null;
            /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
            cacheWritePricePer1M: string | null;
            /** @constant */
            serviceKind: "llm";
            /** @constant */
            priceModel: "token_metered";
            /** Format: int32 */
            defaultMaxOutputTokens: number;
            maxAutoHoldUsdc: string;
            holdBufferMultiplier: number;
            /**
             * Format: int32
             * @description Input tokens that the hold counts for an image, a sound or a file in base64.
             */
            mediaTokens: number;
            /**
             * Format: int32
             * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
             */
            contextTokens: number | null;
            /** @enum {string} */
            llmDialect: "openai" | "anthropic";
            /** @description Services of the same family offer the same model; null: it is of none. */
            modelFamily: string | null;
            pricing: {
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @constant */
                currency: "USDC";
            };
            /** @description After a raise: the saved terms, which take effect at `effectiveAt`. */
            scheduledPricing?: {
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                cacheReadPricePer1M: string | null;
                /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                cacheWritePricePer1M: string | null;
                /** Format: int32 */
                defaultMaxOutputTokens: number;
                maxAutoHoldUsdc: string;
                holdBufferMultiplier: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                 */
                contextTokens: number | null;
                /** @constant */
                currency: "USDC";
                /**
                 * Format: date-time
                 * @description When the higher terms take effect.
                 */
                effectiveAt: string;
            };
        };
        LockTopicAnswer: {
            /** @constant */
            status: "success";
            topic: {
                topicId: string;
                title: string;
                /** @enum {string} */
                category: "general" | "providers" | "agents" | "announcements" | "support";
                excerpt: string;
                author: {
                    walletAddress: string | null;
                    username: string;
                    /** @description Whether this is a wallet of the operator of the gateway. */
                    isStaff: boolean;
                };
                /** Format: int64 */
                replyCount: number;
                /** Format: int64 */
                voteCount: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActivityAt: string;
                pinned: boolean;
                locked: boolean;
            };
        };
        LogoutAnswer: {
            /** @constant */
            status: "success";
            /** @constant */
            success: true;
        };
        LoopDetectedError: {
            /** @enum {string} */
            code: "LOOP_DETECTED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "LOOP_DETECTED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        NotFoundError: {
            /** @enum {string} */
            code: "NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        NotFoundOrSecretNotFoundError: {
            /** @enum {string} */
            code: "NOT_FOUND" | "SECRET_NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "NOT_FOUND" | "SECRET_NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        NotFoundOrServiceNotFoundError: {
            /** @enum {string} */
            code: "NOT_FOUND" | "SERVICE_NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "NOT_FOUND" | "SERVICE_NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        NotFoundOrSupportTaskNotFoundError: {
            /** @enum {string} */
            code: "NOT_FOUND" | "SUPPORT_TASK_NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "NOT_FOUND" | "SUPPORT_TASK_NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        NotFoundOrTopicNotFoundError: {
            /** @enum {string} */
            code: "NOT_FOUND" | "TOPIC_NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "NOT_FOUND" | "TOPIC_NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        NotFoundOrWebhookNotFoundError: {
            /** @enum {string} */
            code: "NOT_FOUND" | "WEBHOOK_NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "NOT_FOUND" | "WEBHOOK_NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        NotFoundOrWithdrawalNotFoundError: {
            /** @enum {string} */
            code: "NOT_FOUND" | "WITHDRAWAL_NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "NOT_FOUND" | "WITHDRAWAL_NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        OnBalanceLowPayload: {
            /** @constant */
            type: "balance.low";
            /** Format: date-time */
            timestamp: string;
            data: {
                walletAddress: string;
                balanceUsdc: string;
                availableUsdc: string;
                heldUsdc: string;
                thresholdUsdc: string;
            };
        };
        OnCredentialExhaustedPayload: {
            /** @constant */
            type: "credential.exhausted";
            /** Format: date-time */
            timestamp: string;
            data: {
                walletAddress: string;
                credentialId: string;
                /** @enum {string} */
                limit: "credential_calls" | "credential_credit";
                /** Format: int64 */
                callsUsed: number;
                /** Format: int64 */
                maxCalls: number | null;
                spentUsdc: string;
                heldUsdc: string;
                creditLimit: string | null;
                remainingUsdc: string | null;
                /** @enum {string} */
                resetInterval: "hourly" | "daily" | "weekly" | "monthly" | "never";
                /** Format: date-time */
                intervalStart: string;
            };
        };
        OnDepositCreditedPayload: {
            /** @constant */
            type: "deposit.credited";
            /** Format: date-time */
            timestamp: string;
            data: {
                walletAddress: string;
                amountUsdc: string;
                /** Format: int64 */
                chainId: number;
                txHash: string;
                eventKey: string;
            };
        };
        OnInvocationFailedPayload: {
            /** @constant */
            type: "invocation.failed";
            /** Format: date-time */
            timestamp: string;
            data: {
                walletAddress: string;
                invocationId: string;
                credentialId: string;
                serviceId: string;
                /** @enum {string} */
                status: "FAILED_RETRYABLE" | "FAILED_FINAL";
                errorCode: string;
                /** Format: int64 */
                attempts: number;
                /** Format: int64 */
                latencyMs: number | null;
            };
        };
        OnServiceDownPayload: {
            /** @constant */
            type: "service.down";
            /** Format: date-time */
            timestamp: string;
            data: {
                walletAddress: string;
                serviceId: string;
                serviceName: string;
                agentToolName: string;
                /** Format: int64 */
                healthyTargets: number;
                /** Format: int64 */
                totalTargets: number;
            };
        };
        OnServiceUpPayload: {
            /** @constant */
            type: "service.up";
            /** Format: date-time */
            timestamp: string;
            data: {
                walletAddress: string;
                serviceId: string;
                serviceName: string;
                agentToolName: string;
                /** Format: int64 */
                healthyTargets: number;
                /** Format: int64 */
                totalTargets: number;
            };
        };
        OnWithdrawalUpdatedPayload: {
            /** @constant */
            type: "withdrawal.updated";
            /** Format: date-time */
            timestamp: string;
            data: {
                walletAddress: string;
                withdrawalId: string;
                amountUsdc: string;
                /** @enum {string} */
                status: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @enum {string|null} */
                previousStatus: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED" | null;
                txHash: string | null;
                reason: string | null;
            };
        };
        OpenDepositAnswer: {
            /** @constant */
            status: "success";
            /** @description That of the intent. */
            intentId: string;
            tx_hash: string;
            intent: components["schemas"]["DepositIntent"];
        };
        OpenDepositBody: {
            /**
             * @description Transaction of the deposit into the vault.
             * @example 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060
             */
            tx_hash?: string;
            /**
             * @description What was deposited, in USDC. Noted; what the chain says is credited.
             * @example 25
             */
            amount: string | number;
        };
        OpenWithdrawalAnswer: {
            /** @constant */
            status: "success";
            ownerAddress: string;
            withdrawalId: string;
            /** @description The same as withdrawalId. */
            intentId: string;
            /** @enum {string} */
            statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            amountUsdc: string;
            /** @description While it can be redeemed; null while the withdrawal waits for a review. */
            ticket: components["schemas"]["WithdrawalTicket"] | null;
        };
        OpenWithdrawalBody: {
            /**
             * @description What to withdraw of the provider receivable.
             * @example 250.00
             */
            amountUsdc: string | number;
            /** @description May be left out. Earnings are paid to the wallet that earned them: another is INVALID_ADDRESS. */
            destinationAddress?: string;
        };
        PayloadTooLargeError: {
            /** @enum {string} */
            code: "PAYLOAD_TOO_LARGE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "PAYLOAD_TOO_LARGE";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        PinTopicAnswer: {
            /** @constant */
            status: "success";
            topic: {
                topicId: string;
                title: string;
                /** @enum {string} */
                category: "general" | "providers" | "agents" | "announcements" | "support";
                excerpt: string;
                author: {
                    walletAddress: string | null;
                    username: string;
                    /** @description Whether this is a wallet of the operator of the gateway. */
                    isStaff: boolean;
                };
                /** Format: int64 */
                replyCount: number;
                /** Format: int64 */
                voteCount: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActivityAt: string;
                pinned: boolean;
                locked: boolean;
            };
        };
        PingServiceAnswer: {
            /** @constant */
            status: "success";
            serviceId: string;
            runtimeAvailable: boolean;
            health: components["schemas"]["ServiceHealth"];
            targets: {
                url: string;
                /** @enum {string} */
                status: "healthy" | "unhealthy";
                /** Format: int32 */
                latencyMs: number;
                /**
                 * Format: int32
                 * @description Status of the answer; null when none came.
                 */
                httpStatus: number | null;
                /**
                 * @description Why no answer came, or why it was not read to its end.
                 * @enum {string|null}
                 */
                reason: "timeout" | "connect" | "reset" | "redirect" | "blocked_address" | "too_large" | "encoding" | "stopping" | null;
                /** Format: date-time */
                checkedAt: string;
            }[];
            service: components["schemas"]["Service"];
        };
        ProviderSecret: {
            id: string;
            name: string;
            /** Format: int32 */
            rpm: number;
            creditLimit: string | null;
            /** @enum {string} */
            resetInterval: "hourly" | "daily" | "weekly" | "monthly" | "never";
            /** Format: int64 */
            maxCalls: number | null;
            /**
             * Format: int64
             * @description Unix seconds; null: never.
             */
            expiresAt: number | null;
            maskedKey: string;
            /**
             * @description `expired`: its time or its calls are over.
             * @enum {string}
             */
            status: "active" | "expired" | "deleted";
            /** Format: int64 */
            callsUsed: number;
            /** @description Captured by late usage reports in the running reset interval. */
            capturedUsdc: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string | null;
        };
        ProviderSecretInvalidError: {
            /** @enum {string} */
            code: "PROVIDER_SECRET_INVALID";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "PROVIDER_SECRET_INVALID";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        RateLimitedError: {
            /** @enum {string} */
            code: "RATE_LIMITED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "RATE_LIMITED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        ReadBalanceAnswer: {
            /** @constant */
            status: "success";
            /** @description Free to be spent on calls. */
            consumer_available_balance: string;
            /** @description Set aside for running calls. */
            consumer_held_balance: string;
            /** @description Earned and free to be withdrawn. */
            provider_receivable_balance: string;
            /** @description Set aside for open withdrawals. */
            provider_locked_balance: string;
            /** @description Platform fees within what the wallet's calls have paid. */
            protocol_fee_balance: string;
            balance: {
                ownerBalance: string;
                consumerAvailableBalance: string;
                consumerHeldBalance: string;
                providerReceivable: string;
                providerLocked: string;
                platformFeeAccrued: string;
            };
        };
        ReadChainAnswer: {
            /** Format: int64 */
            chainId: number;
            /** @description A node that may be asked. */
            rpcUrl: string;
            /** Format: int64 */
            requiredConfirmations: number;
            usdc: string;
            vault: string;
            /** @constant */
            decimals: 6;
            /** @description ABI of the vault, as Solidity compilers write it. */
            vaultAbi: ({
                /** @enum {string} */
                type: "constructor" | "function" | "event" | "error" | "receive" | "fallback";
            } & {
                [key: string]: unknown;
            })[];
        };
        ReadContractAnswer: {
            /** @constant */
            openapi: "3.1.0";
        } & {
            [key: string]: unknown;
        };
        ReadCredentialAnswer: {
            /** @constant */
            status: "success";
            credentialId: string;
            /** @description Whether it is active and has calls left. */
            valid: boolean;
            /** @enum {string} */
            credentialStatus: "active" | "revoked" | "expired" | "deleted";
            isExpired: boolean;
            callsExhausted: boolean;
            /** Format: int64 */
            expiresAt: number | null;
            /** Format: int64 */
            maxCalls: number | null;
            creditLimit: string | null;
            /** Format: int64 */
            callsUsed: number;
            /** @description Spent in the running reset interval. */
            spentUsdc: string;
            /** @description Set aside for running calls. */
            heldUsdc: string;
        };
        ReadEarningsAnswer: {
            /** @constant */
            status: "success";
            ownerAddress: string;
            total: string;
            summary: {
                totalEarnedUsdc: string;
                /** Format: int64 */
                totalCalls: number;
                receivableUsdc: string;
                lockedUsdc: string;
                withdrawnUsdc: string;
                /** @description The part of totalEarnedUsdc that was earned from vouchers. */
                promotionalUsdc: string;
                /** @description The part of receivableUsdc that was earned from vouchers: withdrawn last, after a review. */
                receivablePromotionalUsdc: string;
            };
            /** @description The best 100 of the period asked for, or of all time, the best first. */
            byService: {
                serviceId: string;
                /** Format: int64 */
                calls: number;
                earnedUsdc: string;
            }[];
            /** @description UTC days on which something was earned, newest first. */
            byDay: {
                /** Format: date */
                day: string;
                /** Format: int64 */
                calls: number;
                earnedUsdc: string;
            }[];
        };
        ReadHealthHistoryAnswer: {
            /** @constant */
            status: "success";
            serviceId: string;
            targets: {
                url: string;
                history: {
                    /** @enum {string} */
                    status: "healthy" | "unhealthy";
                    /**
                     * Format: int32
                     * @description Whole milliseconds; 0 where `source` is `traffic`.
                     */
                    latencyMs: number;
                    /** Format: date-time */
                    checkedAt: string;
                    /**
                     * @description Only a `probe` says how a target is; `traffic` is of records that are older than that rule.
                     * @enum {string}
                     */
                    source: "probe" | "traffic";
                }[];
            }[];
            /** @description The same records of all targets together. */
            history: {
                /** @enum {string} */
                status: "healthy" | "unhealthy";
                /**
                 * Format: int32
                 * @description Whole milliseconds; 0 where `source` is `traffic`.
                 */
                latencyMs: number;
                /** Format: date-time */
                checkedAt: string;
                /**
                 * @description Only a `probe` says how a target is; `traffic` is of records that are older than that rule.
                 * @enum {string}
                 */
                source: "probe" | "traffic";
                url: string;
            }[];
        };
        ReadInclusionAnswer: {
            /** @constant */
            status: "success";
            walletAddress: string;
            /** @description What the wallet is owed, as a consumer and as a provider. */
            balanceUsdc: string;
            /** @description Makes the leaf one that nobody else can guess. */
            salt: string;
            leafHash: string;
            /** @description The node beside ours on each step, from the leaf to the root. */
            branch: {
                hash: string;
                sumUsdc: string;
                /**
                 * @description Where the node stands beside ours.
                 * @enum {string}
                 */
                side: "left" | "right";
            }[];
            merkleRoot: string;
            /** @description The sum at the root. */
            walletsUsdc: string;
            /** Format: date-time */
            asOf: string;
        };
        ReadInvocationAnswer: {
            invocationId: string;
            /** @constant */
            status: "SUCCEEDED";
            chargedUsdc: string;
            /** @description LLM services. */
            usage?: components["schemas"]["TokenUsage"];
            /** @description LLM services: the bill. */
            gateway?: components["schemas"]["BillingBlock"];
            /**
             * @description The call is so old that its result is kept no longer: `result` and `receipt.responseHash` are null. Absent as long as it is.
             * @constant
             */
            answerExpired?: true;
            receipt: {
                invocationId: string;
                serviceId: string;
                credentialId: string;
                /** Format: date-time */
                startedAt: string;
                /** Format: date-time */
                finishedAt: string | null;
                /** Format: int64 */
                latencyMs: number | null;
                /**
                 * Format: int32
                 * @description Targets that were tried.
                 */
                attempts: number;
                requestHash: string;
                responseHash: string | null;
                /** @description LLM services: the tokens, once they are known. */
                usage?: components["schemas"]["TokenUsage"];
                /** @description In what the result does not fit the service's own schema; absent when it does. */
                responseIssues?: {
                    path: string;
                    message: string;
                }[];
            };
            /** @description The provider's JSON, or `{value}` around a bare array or scalar, or `{contentType, text}` or `{contentType, base64}` of another type; null when it was streamed, or is kept no longer. */
            result: Record<string, unknown> | null;
            holdUsdc: string;
            releasedUsdc: string;
        } | {
            invocationId: string;
            /**
             * @description PENDING: held and running. PROCESSING: a model answered, and its usage is awaited. SUCCEEDED: charged. FAILED_RETRYABLE and FAILED_FINAL: released, nothing is charged.
             * @enum {string}
             */
            status: "PENDING" | "PROCESSING" | "SUCCEEDED" | "FAILED_RETRYABLE" | "FAILED_FINAL";
            chargedUsdc: string;
            holdUsdc: string;
            releasedUsdc: string;
            /** @description `detail` of the error that the call was answered with, and its `requestId`. */
            error?: {
                code: string;
            } & {
                [key: string]: unknown;
            };
            receipt: components["schemas"]["Receipt"];
        };
        ReadLivenessAnswer: {
            /** @constant */
            status: "ok";
            version: string;
        };
        ReadMarketHealthAnswer: {
            /** @constant */
            status: "success";
            serviceId: string;
            targets: {
                name: string;
                /** @description Of the calls, while all targets are healthy. */
                share: number;
                isHealthy: boolean;
                /** @description Newest first. */
                history: {
                    /** @enum {string} */
                    status: "healthy" | "unhealthy";
                    /**
                     * Format: int32
                     * @description Whole milliseconds; 0 where `source` is `traffic`.
                     */
                    latencyMs: number;
                    /** Format: date-time */
                    checkedAt: string;
                    /**
                     * @description Only a `probe` says how a target is; `traffic` is of records that are older than that rule.
                     * @enum {string}
                     */
                    source: "probe" | "traffic";
                }[];
            }[];
        };
        ReadMarketServiceAnswer: {
            /** @constant */
            status: "success";
            service: {
                serviceId: string;
                serviceName: string;
                /** @description Unique; taken wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
                targetVerified: boolean;
                /** @constant */
                serviceKind: "api";
                /** @constant */
                priceModel: "fixed";
                pricing: {
                    amount: string;
                    /** @constant */
                    currency: "USDC";
                };
                /** @description After a raise: callers who assert no price (MCP) pay `amountUntilThen` until `effectiveAt`, and `amount` from then on. `costUsdc` must be `pricing.amount` all the time. */
                scheduledPricing?: {
                    amount: string;
                    /** @constant */
                    currency: "USDC";
                    amountUntilThen: string;
                    /**
                     * Format: date-time
                     * @description When the higher terms take effect.
                     */
                    effectiveAt: string;
                };
                /** @description What compares fixed prices with those of tokens: the fixed price, or that of a call of 1,000 input and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of calls of the last seven days that the provider answered well, newer ones weighing more: charged calls, and failed ones that would have been, of others who have deposited money, at the price in force or above. Null until there were enough. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean time of those that went well, in ms; null until there were enough.
                 */
                latencyMs: number | null;
                /** @description Metered calls of the last seven days, oldest first. */
                days: {
                    /**
                     * Format: date
                     * @description UTC.
                     */
                    date: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Those that the provider did not answer well.
                     */
                    failed: number;
                    /**
                     * Format: int64
                     * @description Mean of those that went well; null when none did.
                     */
                    latencyMs: number | null;
                }[];
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                /** Format: int32 */
                timeoutMs: number;
                /** @description What the provider says of its requests: JSON Schema, mostly. */
                request: {
                    [key: string]: unknown;
                };
                /** @description Likewise, of its answers. */
                response: {
                    [key: string]: unknown;
                };
            } | {
                serviceId: string;
                serviceName: string;
                /** @description Unique; taken wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
                targetVerified: boolean;
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                cacheReadPricePer1M: string | null;
                /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                cacheWritePricePer1M: string | null;
                /** @constant */
                serviceKind: "llm";
                /** @constant */
                priceModel: "token_metered";
                /** Format: int32 */
                defaultMaxOutputTokens: number;
                maxAutoHoldUsdc: string;
                holdBufferMultiplier: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                 */
                contextTokens: number | null;
                /** @enum {string} */
                llmDialect: "openai" | "anthropic";
                /** @description Services of the same family offer the same model; null: it is of none. */
                modelFamily: string | null;
                pricing: {
                    inputPricePer1MTokensUsdc: string;
                    outputPricePer1MTokensUsdc: string;
                    /** @constant */
                    currency: "USDC";
                };
                /** @description After a raise: the saved terms, which take effect at `effectiveAt`. */
                scheduledPricing?: {
                    inputPricePer1MTokensUsdc: string;
                    outputPricePer1MTokensUsdc: string;
                    /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                    cacheReadPricePer1M: string | null;
                    /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                    cacheWritePricePer1M: string | null;
                    /** Format: int32 */
                    defaultMaxOutputTokens: number;
                    maxAutoHoldUsdc: string;
                    holdBufferMultiplier: number;
                    /**
                     * Format: int32
                     * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                     */
                    mediaTokens: number;
                    /**
                     * Format: int32
                     * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                     */
                    contextTokens: number | null;
                    /** @constant */
                    currency: "USDC";
                    /**
                     * Format: date-time
                     * @description When the higher terms take effect.
                     */
                    effectiveAt: string;
                };
                /** @description What compares fixed prices with those of tokens: the fixed price, or that of a call of 1,000 input and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of calls of the last seven days that the provider answered well, newer ones weighing more: charged calls, and failed ones that would have been, of others who have deposited money, at the price in force or above. Null until there were enough. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean time of those that went well, in ms; null until there were enough.
                 */
                latencyMs: number | null;
                /** @description Metered calls of the last seven days, oldest first. */
                days: {
                    /**
                     * Format: date
                     * @description UTC.
                     */
                    date: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Those that the provider did not answer well.
                     */
                    failed: number;
                    /**
                     * Format: int64
                     * @description Mean of those that went well; null when none did.
                     */
                    latencyMs: number | null;
                }[];
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                /** Format: int32 */
                timeoutMs: number;
                /** @description What the provider says of its requests: JSON Schema, mostly. */
                request: {
                    [key: string]: unknown;
                };
                /** @description Likewise, of its answers. */
                response: {
                    [key: string]: unknown;
                };
            };
        };
        ReadMarketStatsAnswer: {
            /** @constant */
            status: "success";
            /** Format: date-time */
            asOf: string;
            /**
             * Format: int64
             * @description Those that can be called now.
             */
            services: number;
            /**
             * Format: int64
             * @description Metered calls that their providers were asked for.
             */
            callsLast7Days: number;
            /** @description What this gateway added to half of the paid calls since it started, at most; null before there were any. */
            medianOverheadMs: number | null;
        };
        ReadModelAnswer: {
            id: string;
            /** @constant */
            object: "model";
            /** Format: int64 */
            created: number;
            owned_by: string;
        } | {
            /** @constant */
            type: "model";
            id: string;
            display_name: string;
            /** Format: date-time */
            created_at: string;
        };
        ReadModelError: {
            error: {
                message: string;
                type: string;
                param: string | null;
                code: string | null;
                farebox: {
                    code: string;
                    requestId: string;
                } & {
                    [key: string]: unknown;
                };
            };
        } | {
            /** @constant */
            type: "error";
            error: {
                type: string;
                message: string;
                farebox: {
                    code: string;
                    requestId: string;
                } & {
                    [key: string]: unknown;
                };
            };
            request_id: string;
        };
        ReadProfileAnswer: {
            wallet_address: string;
            walletAddress: string;
            ownerAddress: string;
            username: string;
            /**
             * Format: email
             * @description The verified address.
             */
            email: string | null;
            emailVerified: boolean;
            /**
             * Format: email
             * @description An address that waits for its code.
             */
            pendingEmail: string | null;
            /**
             * @description `locked`: five wrong codes; a resend or another address unlocks.
             * @enum {string}
             */
            emailVerificationStatus: "none" | "pending" | "verified" | "locked";
            /**
             * Format: int32
             * @description Verification mails left on this UTC day.
             */
            emailVerificationSendsRemaining: number;
            /** @description Whether the wallet wishes mail about events. Kept and shown; the mails of codes do not depend on it. */
            notifications: boolean;
            roles: ("owner" | "provider" | "admin")[];
            /** Format: date-time */
            createdAt: string;
            profile: {
                wallet_address: string;
                walletAddress: string;
                ownerAddress: string;
                username: string;
                /**
                 * Format: email
                 * @description The verified address.
                 */
                email: string | null;
                emailVerified: boolean;
                /**
                 * Format: email
                 * @description An address that waits for its code.
                 */
                pendingEmail: string | null;
                /**
                 * @description `locked`: five wrong codes; a resend or another address unlocks.
                 * @enum {string}
                 */
                emailVerificationStatus: "none" | "pending" | "verified" | "locked";
                /**
                 * Format: int32
                 * @description Verification mails left on this UTC day.
                 */
                emailVerificationSendsRemaining: number;
                /** @description Whether the wallet wishes mail about events. Kept and shown; the mails of codes do not depend on it. */
                notifications: boolean;
                roles: ("owner" | "provider" | "admin")[];
                /** Format: date-time */
                createdAt: string;
            };
        };
        ReadProviderServiceHealthAnswer: {
            /** @constant */
            status: "success";
            serviceId: string;
            targets: {
                url: string;
                history: {
                    /** @enum {string} */
                    status: "healthy" | "unhealthy";
                    /**
                     * Format: int32
                     * @description Whole milliseconds; 0 where `source` is `traffic`.
                     */
                    latencyMs: number;
                    /** Format: date-time */
                    checkedAt: string;
                    /**
                     * @description Only a `probe` says how a target is; `traffic` is of records that are older than that rule.
                     * @enum {string}
                     */
                    source: "probe" | "traffic";
                }[];
            }[];
            /** @description The same records of all targets together. */
            history: {
                /** @enum {string} */
                status: "healthy" | "unhealthy";
                /**
                 * Format: int32
                 * @description Whole milliseconds; 0 where `source` is `traffic`.
                 */
                latencyMs: number;
                /** Format: date-time */
                checkedAt: string;
                /**
                 * @description Only a `probe` says how a target is; `traffic` is of records that are older than that rule.
                 * @enum {string}
                 */
                source: "probe" | "traffic";
                url: string;
            }[];
        };
        ReadReadinessAnswer: {
            /** @constant */
            status: "ok";
            checks: {
                /** @constant */
                database: true;
                /** @constant */
                chain: true;
                /** @constant */
                migrations: true;
            };
        };
        ReadRegistrationGuideAnswer: {
            /** @constant */
            status: "success";
            register: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "DELETE";
                path: string;
                what: string;
                authentication: string;
            };
            /** @description What must be so before a service is taken. */
            requirements: string[];
            /** @description What to do, in order. */
            steps: string[];
            fields: {
                name: string;
                required: boolean;
                description: string;
                /** @description JSON Schema of the member, limits included. */
                schema: {
                    [key: string]: unknown;
                };
            }[];
            /** @description JSON Schema (draft 2020-12) of the whole manifest. */
            manifestSchema: {
                [key: string]: unknown;
            };
            limits: {
                [key: string]: number | string;
            };
            examples: {
                fixed: {
                    [key: string]: unknown;
                };
                llm: {
                    [key: string]: unknown;
                };
            };
            health: {
                rules: string[];
                intervalSeconds: number;
                /** Format: int32 */
                historyDays: number;
            };
            calls: {
                headers: {
                    name: string;
                    what: string;
                }[];
                rules: string[];
            };
            signatures: {
                standard: string;
                algorithm: string;
                /** Format: uri */
                keys: string;
                covers: string[];
                steps: string[];
            };
            nextSteps: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "DELETE";
                path: string;
                what: string;
            }[];
        };
        ReadRegistryAnswer: {
            /** @constant */
            status: "success";
            query: {
                q: string;
                tag: string;
                /** Format: int32 */
                page: number;
                /** Format: int32 */
                pageSize: number;
            };
            pagination: {
                /** Format: int32 */
                page: number;
                /** Format: int32 */
                pageSize: number;
                /** Format: int64 */
                total: number;
                /** Format: int64 */
                totalPages: number;
                hasNextPage: boolean;
                hasPreviousPage: boolean;
            };
            services: components["schemas"]["ServiceSummary"][];
        };
        ReadReservesAnswer: {
            /** @constant */
            status: "success";
            /** Format: date-time */
            asOf: string;
            /** Format: int64 */
            blockNumber: number;
            vaultBalanceUsdc: string;
            liabilitiesUsdc: string;
            /** @description Above zero: a deposit that is not credited yet. */
            differenceUsdc: string;
            liabilities: {
                consumerUsdc: string;
                providerUsdc: string;
                platformUsdc: string;
            };
            ledgerSumUsdc: string;
            /** @description Outcome of the newest check of every invariant of the books. */
            consistent: boolean;
            /** Format: date-time */
            lastReconciledAt: string | null;
            /** @description Of the newest tree over what wallets are owed; null before the first. */
            merkleRoot: string | null;
            tree: components["schemas"]["LiabilitiesTree"] | null;
        };
        ReadServiceAnswer: {
            /** @constant */
            status: "success";
            serviceId: string;
            service: components["schemas"]["Service"] | components["schemas"]["ServiceSummary"];
        };
        ReadSigningSecretAnswer: {
            /** @constant */
            status: "success";
            /** @description The one that signs now; null: none. */
            signingSecret: components["schemas"]["SigningSecret"] | null;
            /** @description The one that takes over at its `signsFrom`. */
            next: components["schemas"]["SigningSecret"] | null;
        };
        ReadSpendingAnswer: {
            /** @constant */
            status: "success";
            /** Format: int32 */
            days: number;
            total: {
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Of these: calls that failed, and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
            };
            /** @description UTC days with calls, the first one first. */
            byDay: {
                /** Format: date */
                day: string;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Of these: calls that failed, and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
            }[];
            /** @description The 100 that cost most, the dearest first. */
            byService: {
                serviceId: string;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Of these: calls that failed, and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
            }[];
            byCredential: {
                credentialId: string;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Of these: calls that failed, and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
            }[];
            /**
             * Format: date-time
             * @description Sent when the period has more calls than are summed up: only those from then on are. Else null.
             */
            countedFrom: string | null;
        };
        ReadSpendingPolicyAnswer: {
            /** @constant */
            status: "success";
            /** @description Per UTC month; null: no cap. */
            spendingLimitUsdc: string | null;
            allowUnlimited: boolean;
            /** @description Per UTC day; null: no cap. */
            dailyLimitUsdc: string | null;
            /** @description Null: no cap. */
            perCallLimitUsdc: string | null;
            /** @description Charged and held, this UTC month. */
            spentThisMonthUsdc: string;
            /** @description Charged and held, this UTC day. */
            spentTodayUsdc: string;
        };
        ReadTopicAnswer: {
            /** @constant */
            status: "success";
            topic: {
                topicId: string;
                title: string;
                /** @enum {string} */
                category: "general" | "providers" | "agents" | "announcements" | "support";
                excerpt: string;
                author: {
                    walletAddress: string | null;
                    username: string;
                    /** @description Whether this is a wallet of the operator of the gateway. */
                    isStaff: boolean;
                };
                /** Format: int64 */
                replyCount: number;
                /** Format: int64 */
                voteCount: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActivityAt: string;
                pinned: boolean;
                locked: boolean;
                body: string;
                voted: boolean;
            };
            replies: {
                replyId: string;
                topicId: string;
                author: {
                    walletAddress: string | null;
                    username: string;
                    /** @description Whether this is a wallet of the operator of the gateway. */
                    isStaff: boolean;
                };
                body: string;
                /** Format: date-time */
                createdAt: string;
            }[];
            /** @description `cursor` of the page after this one; null on the last. */
            nextCursor: string | null;
        };
        ReadWithdrawalAnswer: {
            /** @constant */
            status: "success";
            ownerAddress: string;
            withdrawalId: string;
            /** @description The same as withdrawalId. */
            intentId: string;
            /** @enum {string} */
            statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            ticket: components["schemas"]["WithdrawalTicket"] | null;
            withdrawal: components["schemas"]["Withdrawal"];
        };
        ReadWithdrawalCapabilityAnswer: {
            /** @constant */
            status: "success";
            ownerAddress: string;
            canWithdraw: boolean;
            /** @description What can be asked for now: the same as receivableUsdc. */
            available: string;
            receivableUsdc: string;
            /** @description The part of receivableUsdc that was earned from vouchers: withdrawn last, after a review. */
            receivablePromotionalUsdc: string;
            lockedUsdc: string;
            /** @description Null while the chain is out of reach. */
            vaultLiquidityUsdc: string | null;
            autoApproveMaxUsdc: string;
            /** @description The less of what is left of the limit of this wallet, and of that of all wallets together. */
            autoApproveLeftTodayUsdc: string;
            /** @description Off while the books do not add up. */
            isAutoApprovalOn: boolean;
            /** Format: int64 */
            ticketSeconds: number;
            /** Format: int64 */
            requiredConfirmations: number;
        };
        Receipt: {
            invocationId: string;
            serviceId: string;
            credentialId: string;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            finishedAt: string | null;
            /** Format: int64 */
            latencyMs: number | null;
            /**
             * Format: int32
             * @description Targets that were tried.
             */
            attempts: number;
            requestHash: string;
            responseHash: string | null;
            /** @description LLM services: the tokens, once they are known. */
            usage?: components["schemas"]["TokenUsage"];
        };
        ReconcileNowAnswer: {
            /** @constant */
            status: "success";
            /** @description While it is false no withdrawal ticket is issued. */
            consistent: boolean;
            findings: {
                /** @description The invariant that does not hold. */
                check: string;
                row: string;
                expected: string;
                found: string;
            }[];
            /** Format: int64 */
            findingsCount: number;
            /** @description Null while the chain is out of reach. */
            vaultBalanceUsdc: string | null;
            /** @description What wallets are owed. */
            liabilitiesUsdc: string;
            /** @description Sum of all entries: zero. */
            ledgerSumUsdc: string;
        };
        ReconcileNowBody: {
            /**
             * @description Kept in the audit log.
             * @example Reported for returning other answers than it is paid for.
             */
            reason?: string | null;
        } | null;
        RedeemVoucherAnswer: {
            /** @constant */
            status: "success";
            /** @example FBX-7K2M-9QXA-W3RD-0TZE-5HBN-C8VJ-1PGS */
            voucherCode: string;
            amountUsdc: string;
        };
        RedeemVoucherBody: {
            voucherCode: string;
        };
        RegisterServiceAnswer: {
            serviceId: string;
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            agentToolName: string;
            service: components["schemas"]["Service"];
            /** @description Consequences of the manifest that its provider may not have meant. */
            warnings: string[];
        };
        RegisterServiceBody: {
            serviceId?: string | null;
            /** @enum {string|null} */
            status?: "active" | "inactive" | "suspended" | "deleted" | "paused" | null;
            isActive?: boolean | null;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly runtimeAvailable?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly targetVerified?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly scheduledPricing?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly ownerAddress?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly hasUpstreamHeaders?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly health?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly createdAt?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly updatedAt?: unknown;
            serviceName: string;
            agentToolName?: string | null;
            summary?: string | null;
            description?: string | null;
            tags?: string[] | null;
            /** @enum {string|null} */
            serviceKind?: "api" | "llm" | null;
            /** @enum {string|null} */
            priceModel?: "fixed" | "token_metered" | null;
            pricing?: {
                /** @enum {string} */
                currency?: "USDC" | "usdc";
                amount?: (string | number) | null;
                inputPricePer1MTokensUsdc?: (string | number) | null;
                outputPricePer1MTokensUsdc?: (string | number) | null;
                cacheReadPricePer1M?: (string | number) | null;
                cacheWritePricePer1M?: (string | number) | null;
                /** Format: int32 */
                defaultMaxOutputTokens?: number | null;
                maxAutoHoldUsdc?: (string | number) | null;
                holdBufferMultiplier?: (string | number) | null;
            } | null;
            inputPricePer1MTokensUsdc?: (string | number) | null;
            outputPricePer1MTokensUsdc?: (string | number) | null;
            cacheReadPricePer1M?: (string | number) | null;
            cacheWritePricePer1M?: (string | number) | null;
            /** Format: int32 */
            defaultMaxOutputTokens?: number | null;
            maxAutoHoldUsdc?: (string | number) | null;
            holdBufferMultiplier?: (string | number) | null;
            /** @enum {string|null} */
            llmDialect?: "openai" | "anthropic" | null;
            /** Format: int32 */
            mediaTokens?: number | null;
            /** Format: int32 */
            contextTokens?: number | null;
            modelFamily?: string | null;
            upstreamModel?: string | null;
            invoke: {
                /** @enum {string} */
                method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                targets: {
                    /** Format: uri */
                    url: string;
                    /** @default 1 */
                    weight?: number;
                    /** @description Of the record as it is shown. Sending it changes nothing. */
                    readonly isHealthy?: unknown;
                }[];
                /** @default {} */
                request?: {
                    [key: string]: unknown;
                };
                /** @default {} */
                response?: {
                    [key: string]: unknown;
                };
                /**
                 * Format: int32
                 * @default 30000
                 */
                timeoutMs?: number;
            };
            healthCheck?: {
                /** @description Relative to the origin of each target; absent: the target's own URL. */
                path?: string;
                /** Format: int32 */
                timeoutMs?: number;
                /** @description Statuses that are healthy; absent: every one below 500. */
                successCodes?: number[];
                /** @enum {string} */
                method?: "GET" | "HEAD" | "POST" | "OPTIONS";
                /**
                 * Format: int32
                 * @description Good probes in a row until a target is healthy.
                 * @default 1
                 */
                healthyThreshold?: number;
                /**
                 * Format: int32
                 * @description Bad probes in a row until a target is not.
                 * @default 1
                 */
                unhealthyThreshold?: number;
            } | null;
            upstreamHeaders?: {
                [key: string]: string;
            } | null;
            /**
             * @description What requests to the targets are signed with: a key of the gateway (Ed25519, the default), or the signing secret of the wallet (HMAC-SHA256), which costs a verifier 3 us in place of 100.
             * @enum {string|null}
             */
            signature?: "ed25519" | "hmac-sha256" | null;
            providerProfile?: {
                [key: string]: unknown;
            } | null;
            payoutAccount?: unknown;
            governance?: {
                [key: string]: unknown;
            } | null;
        };
        RejectWithdrawalAnswer: {
            /** @constant */
            status: "success";
            withdrawal: {
                withdrawalId: string;
                /** @description The same as withdrawalId. */
                intentId: string;
                amountUsdc: string;
                /** @description The part of it that was earned from vouchers. Above zero, it waits for a review. */
                promotionalUsdc: string;
                /**
                 * @description What its wallet has earned, or fees of the platform that an admin pays out.
                 * @enum {string}
                 */
                source: "earnings" | "fees";
                /** @enum {string} */
                status: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @enum {string} */
                statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @description While it can be redeemed. */
                ticket: components["schemas"]["WithdrawalTicket"] | null;
                /** @description Of the transaction that redeemed it. */
                txHash: string | null;
                /** @description What its reviewer says. */
                reason: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
                ownerAddress: string;
            };
        };
        RejectWithdrawalBody: {
            reason: string;
        };
        RemoveReplyAnswer: {
            /** @constant */
            status: "success";
            replyId: string;
            topicId: string;
        };
        RemoveTopicAnswer: {
            /** @constant */
            status: "success";
            topicId: string;
        };
        ReplayWebhookDeliveryAnswer: {
            /** @constant */
            status: "success";
            delivery: {
                id: string;
                /** @enum {string} */
                type: "deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                /** @enum {string} */
                status: "pending" | "delivered" | "failed";
                /** Format: int64 */
                attempts: number;
                /**
                 * Format: int32
                 * @description Of the last answer.
                 */
                responseStatus: number | null;
                /**
                 * @description Of the last attempt.
                 * @enum {string|null}
                 */
                error: "status" | "timeout" | "connect" | "reset" | "redirect" | "blocked_address" | "too_large" | "encoding" | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastAttemptAt: string | null;
                /**
                 * Format: date-time
                 * @description While it is pending and the webhook active.
                 */
                nextAttemptAt: string | null;
                payload: {
                    /** @enum {string} */
                    type: "deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                    /** Format: date-time */
                    timestamp: string;
                    /** @description See docs/webhooks.md for each type. */
                    data: {
                        [key: string]: components["schemas"]["AnyJson"];
                    };
                };
            };
        };
        ReportUsageAnswer: {
            /** @constant */
            status: "success";
            invocation: components["schemas"]["EarnedCall"];
        };
        ReportUsageBody: {
            /**
             * Format: int32
             * @example 120
             */
            inputTokens?: number;
            /**
             * Format: int32
             * @example 120
             */
            outputTokens?: number;
            /** @description The same, or the usage block of an answer in the names of OpenAI or Anthropic. */
            usage?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int32
             * @description Of the input: read from a cache.
             * @example 120
             */
            cacheReadTokens?: number;
            /**
             * Format: int32
             * @description Of the input: written to a cache.
             * @example 120
             */
            cacheWriteTokens?: number;
        } & {
            [key: string]: unknown;
        };
        ResendEmailCodeAnswer: {
            wallet_address: string;
            walletAddress: string;
            ownerAddress: string;
            username: string;
            /**
             * Format: email
             * @description The verified address.
             */
            email: string | null;
            emailVerified: boolean;
            /**
             * Format: email
             * @description An address that waits for its code.
             */
            pendingEmail: string | null;
            /**
             * @description `locked`: five wrong codes; a resend or another address unlocks.
             * @enum {string}
             */
            emailVerificationStatus: "none" | "pending" | "verified" | "locked";
            /**
             * Format: int32
             * @description Verification mails left on this UTC day.
             */
            emailVerificationSendsRemaining: number;
            /** @description Whether the wallet wishes mail about events. Kept and shown; the mails of codes do not depend on it. */
            notifications: boolean;
            roles: ("owner" | "provider" | "admin")[];
            /** Format: date-time */
            createdAt: string;
            profile: {
                wallet_address: string;
                walletAddress: string;
                ownerAddress: string;
                username: string;
                /**
                 * Format: email
                 * @description The verified address.
                 */
                email: string | null;
                emailVerified: boolean;
                /**
                 * Format: email
                 * @description An address that waits for its code.
                 */
                pendingEmail: string | null;
                /**
                 * @description `locked`: five wrong codes; a resend or another address unlocks.
                 * @enum {string}
                 */
                emailVerificationStatus: "none" | "pending" | "verified" | "locked";
                /**
                 * Format: int32
                 * @description Verification mails left on this UTC day.
                 */
                emailVerificationSendsRemaining: number;
                /** @description Whether the wallet wishes mail about events. Kept and shown; the mails of codes do not depend on it. */
                notifications: boolean;
                roles: ("owner" | "provider" | "admin")[];
                /** Format: date-time */
                createdAt: string;
            };
        };
        ResendEmailCodeBody: {
            /**
             * Format: email
             * @example ada@example.com
             */
            email: string;
        };
        ResumeServiceAnswer: {
            /** @constant */
            status: "success";
            serviceId: string;
            service: {
                serviceId: string;
                ownerAddress: string;
                agentToolName: string;
                serviceName: string;
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /**
                 * Format: date-time
                 * @description Null while it is not suspended.
                 */
                suspendedAt: string | null;
            };
        };
        ResumeServiceBody: {
            /**
             * @description Kept in the audit log.
             * @example Reported for returning other answers than it is paid for.
             */
            reason?: string | null;
        } | null;
        ResumeWalletAnswer: {
            /** @constant */
            status: "success";
            walletAddress: string;
            wallet: {
                walletAddress: string;
                username: string;
                isProvider: boolean;
                /**
                 * Format: date-time
                 * @description Null while it is not suspended.
                 */
                suspendedAt: string | null;
                /** Format: date-time */
                createdAt: string;
            };
        };
        ResumeWalletBody: {
            /**
             * @description Kept in the audit log.
             * @example Reported for returning other answers than it is paid for.
             */
            reason?: string | null;
        } | null;
        ReverseDepositAnswer: {
            /** @constant */
            status: "success";
            finding: {
                findingId: string;
                /** @enum {string} */
                kind: "unexplained-redemption" | "redemption-reorganised" | "deposit-reorganised" | "deposit-count" | "ticket-signer" | "database-restored";
                /** @description What disagrees: `txHash:logIndex` of an event, or the address of the vault. */
                subject: string;
                /** @description Hashes, nonces, wallets, amounts and heights to act on. */
                detail: {
                    [key: string]: string;
                };
                /** @description How an admin can settle it; empty when it ends by itself once its cause is gone. */
                acts: ("adopt" | "reverse")[];
                /** Format: date-time */
                foundAt: string;
                /** Format: date-time */
                resolvedAt: string | null;
                /** @description Null while it is open; `gone` when chain and books agree again, otherwise the act. */
                resolution: string | null;
            };
            /** @description What the wallet was charged. */
            chargedUsdc: string;
            /** @description What the platform bears. */
            borneUsdc: string;
        };
        ReverseDepositBody: {
            /**
             * @description Kept in the audit log.
             * @example Paid after the moment that the backup was restored to.
             */
            reason: string;
        };
        RevokeCredentialAnswer: {
            /** @constant */
            status: "success";
            credentialId: string;
            credential: components["schemas"]["Credential"];
        };
        RotateCredentialAnswer: {
            /** @constant */
            status: "success";
            /** @description Shown this once. Send it as `X-Credential`. */
            token: string;
            credentialId: string;
            credential: {
                id: string;
                credential_id: string;
                name: string;
                /** Format: int64 */
                maxCalls: number | null;
                creditLimit: string | null;
                /** @description Most that one call may cost; null: no cap. */
                maxCostPerCallUsdc: string | null;
                /** Format: int32 */
                rpm: number;
                /** @enum {string} */
                resetInterval: "hourly" | "daily" | "weekly" | "monthly" | "never";
                /** @description Null: all; empty: none. */
                allowedServices: string[] | null;
                /**
                 * Format: int64
                 * @description Unix seconds; null: never.
                 */
                expiresAt: number | null;
                /** @enum {string} */
                status: "active" | "revoked" | "expired" | "deleted";
                /** Format: date-time */
                createdAt: string;
                /** @description Shown this once. Send it as `X-Credential`. */
                token: string;
            };
        };
        RotateCredentialBody: {
            /**
             * Format: int32
             * @description How long the token until now goes on working; absent: not at all.
             */
            overlapSeconds?: number | null;
        } | null;
        RotateSigningSecretAnswer: {
            /** @constant */
            status: "success";
            signingSecret: components["schemas"]["SigningSecret"];
            /** @description Shown this once. The key of the HMAC is its 32 bytes, in Base64 after `sigsec_`. */
            secret: string;
        };
        RotateSigningSecretBody: {
            /**
             * Format: int32
             * @description How long the old secret goes on signing, for you to install the new one; 0: not at all.
             * @default 86400
             */
            overlapSeconds?: number;
        } | null;
        RotateWebhookSecretAnswer: {
            /** @constant */
            status: "success";
            webhook: {
                id: string;
                url: string;
                events: ("deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
                /** @enum {string} */
                status: "active" | "disabled";
                /**
                 * @description `owner`: switched off. `gone`: the receiver answered 410. `failing`: it took nothing for five days.
                 * @enum {string|null}
                 */
                disabledReason: "owner" | "gone" | "failing" | null;
                /**
                 * Format: date-time
                 * @description First failure after the last success.
                 */
                failingSince: string | null;
                /** Format: date-time */
                lastSuccessAt: string | null;
                /**
                 * Format: date-time
                 * @description Until then the secret before signs, too.
                 */
                previousSecretUntil: string | null;
                /**
                 * Format: int64
                 * @description Events not queued, because there were too many.
                 */
                suppressedLastDay: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            };
            /** @description Shown this once. Verify `webhook-signature` with it (Standard Webhooks). */
            secret: string;
        };
        RotateWebhookSecretBody: {
            /**
             * Format: int32
             * @description For how long deliveries are signed with the old secret, too.
             * @default 86400
             */
            overlapSeconds?: number;
        } | null;
        Seal: {
            /** Format: int64 */
            number: number;
            /** @description Last entry of the seal before; 0 for the first seal. */
            afterEntryId: string;
            lastEntryId: string;
            /**
             * Format: int64
             * @description How many entries there are between these ids.
             */
            entries: number;
            /** @description Root of the Merkle tree over these entries. */
            root: string;
            /** @description `hash` of the seal before; zeros for the first seal. */
            previousHash: string;
            hash: string;
            /** Format: date-time */
            sealedAt: string;
            /** @description Where each partition of the log of calls ended when the seal was made; null in seals that were made before there was a log. */
            heads: components["schemas"]["SealedHead"][] | null;
        };
        SealedHead: {
            /** Format: int32 */
            partition: number;
            /** @description Its last row; 0 before the first. */
            head: string;
            /** @description Hash of that row; zeros before the first. */
            hash: string;
        };
        SearchMarketAnswer: {
            /** @constant */
            status: "success";
            pagination: {
                /** Format: int32 */
                page: number;
                /** Format: int32 */
                pageSize: number;
                /** Format: int64 */
                total: number;
            };
            services: ({
                serviceId: string;
                serviceName: string;
                /** @description Unique; taken wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
                targetVerified: boolean;
                /** @constant */
                serviceKind: "api";
                /** @constant */
                priceModel: "fixed";
                pricing: {
                    amount: string;
                    /** @constant */
                    currency: "USDC";
                };
                /** @description After a raise: callers who assert no price (MCP) pay `amountUntilThen` until `effectiveAt`, and `amount` from then on. `costUsdc` must be `pricing.amount` all the time. */
                scheduledPricing?: {
                    amount: string;
                    /** @constant */
                    currency: "USDC";
                    amountUntilThen: string;
                    /**
                     * Format: date-time
                     * @description When the higher terms take effect.
                     */
                    effectiveAt: string;
                };
                /** @description What compares fixed prices with those of tokens: the fixed price, or that of a call of 1,000 input and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of calls of the last seven days that the provider answered well, newer ones weighing more: charged calls, and failed ones that would have been, of others who have deposited money, at the price in force or above. Null until there were enough. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean time of those that went well, in ms; null until there were enough.
                 */
                latencyMs: number | null;
                /** @description Metered calls of the last seven days, oldest first. */
                days: {
                    /**
                     * Format: date
                     * @description UTC.
                     */
                    date: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Those that the provider did not answer well.
                     */
                    failed: number;
                    /**
                     * Format: int64
                     * @description Mean of those that went well; null when none did.
                     */
                    latencyMs: number | null;
                }[];
            } | {
                serviceId: string;
                serviceName: string;
                /** @description Unique; taken wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
                targetVerified: boolean;
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                cacheReadPricePer1M: string | null;
                /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                cacheWritePricePer1M: string | null;
                /** @constant */
                serviceKind: "llm";
                /** @constant */
                priceModel: "token_metered";
                /** Format: int32 */
                defaultMaxOutputTokens: number;
                maxAutoHoldUsdc: string;
                holdBufferMultiplier: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                 */
                contextTokens: number | null;
                /** @enum {string} */
                llmDialect: "openai" | "anthropic";
                /** @description Services of the same family offer the same model; null: it is of none. */
                modelFamily: string | null;
                pricing: {
                    inputPricePer1MTokensUsdc: string;
                    outputPricePer1MTokensUsdc: string;
                    /** @constant */
                    currency: "USDC";
                };
                /** @description After a raise: the saved terms, which take effect at `effectiveAt`. */
                scheduledPricing?: {
                    inputPricePer1MTokensUsdc: string;
                    outputPricePer1MTokensUsdc: string;
                    /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                    cacheReadPricePer1M: string | null;
                    /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                    cacheWritePricePer1M: string | null;
                    /** Format: int32 */
                    defaultMaxOutputTokens: number;
                    maxAutoHoldUsdc: string;
                    holdBufferMultiplier: number;
                    /**
                     * Format: int32
                     * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                     */
                    mediaTokens: number;
                    /**
                     * Format: int32
                     * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                     */
                    contextTokens: number | null;
                    /** @constant */
                    currency: "USDC";
                    /**
                     * Format: date-time
                     * @description When the higher terms take effect.
                     */
                    effectiveAt: string;
                };
                /** @description What compares fixed prices with those of tokens: the fixed price, or that of a call of 1,000 input and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of calls of the last seven days that the provider answered well, newer ones weighing more: charged calls, and failed ones that would have been, of others who have deposited money, at the price in force or above. Null until there were enough. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean time of those that went well, in ms; null until there were enough.
                 */
                latencyMs: number | null;
                /** @description Metered calls of the last seven days, oldest first. */
                days: {
                    /**
                     * Format: date
                     * @description UTC.
                     */
                    date: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Those that the provider did not answer well.
                     */
                    failed: number;
                    /**
                     * Format: int64
                     * @description Mean of those that went well; null when none did.
                     */
                    latencyMs: number | null;
                }[];
            })[];
        };
        SearchServicesAnswer: {
            requestId: string;
            /** Format: int32 */
            count: number;
            /** Format: int32 */
            page: number;
            /** Format: int32 */
            pageSize: number;
            /** Format: int64 */
            totalCount: number;
            hasMore: boolean;
            results: ({
                serviceId: string;
                serviceName: string;
                /** @description Unique; taken wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
                targetVerified: boolean;
                /** @constant */
                serviceKind: "api";
                /** @constant */
                priceModel: "fixed";
                pricing: {
                    amount: string;
                    /** @constant */
                    currency: "USDC";
                };
                /** @description After a raise: callers who assert no price (MCP) pay `amountUntilThen` until `effectiveAt`, and `amount` from then on. `costUsdc` must be `pricing.amount` all the time. */
                scheduledPricing?: {
                    amount: string;
                    /** @constant */
                    currency: "USDC";
                    amountUntilThen: string;
                    /**
                     * Format: date-time
                     * @description When the higher terms take effect.
                     */
                    effectiveAt: string;
                };
                /** @description What compares fixed prices with those of tokens: the fixed price, or that of a call of 1,000 input and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of calls of the last seven days that the provider answered well, newer ones weighing more: charged calls, and failed ones that would have been, of others who have deposited money, at the price in force or above. Null until there were enough. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean time of those that went well, in ms; null until there were enough.
                 */
                latencyMs: number | null;
            } | {
                serviceId: string;
                serviceName: string;
                /** @description Unique; taken wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
                targetVerified: boolean;
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                cacheReadPricePer1M: string | null;
                /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                cacheWritePricePer1M: string | null;
                /** @constant */
                serviceKind: "llm";
                /** @constant */
                priceModel: "token_metered";
                /** Format: int32 */
                defaultMaxOutputTokens: number;
                maxAutoHoldUsdc: string;
                holdBufferMultiplier: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                 */
                contextTokens: number | null;
                /** @enum {string} */
                llmDialect: "openai" | "anthropic";
                /** @description Services of the same family offer the same model; null: it is of none. */
                modelFamily: string | null;
                pricing: {
                    inputPricePer1MTokensUsdc: string;
                    outputPricePer1MTokensUsdc: string;
                    /** @constant */
                    currency: "USDC";
                };
                /** @description After a raise: the saved terms, which take effect at `effectiveAt`. */
                scheduledPricing?: {
                    inputPricePer1MTokensUsdc: string;
                    outputPricePer1MTokensUsdc: string;
                    /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                    cacheReadPricePer1M: string | null;
                    /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                    cacheWritePricePer1M: string | null;
                    /** Format: int32 */
                    defaultMaxOutputTokens: number;
                    maxAutoHoldUsdc: string;
                    holdBufferMultiplier: number;
                    /**
                     * Format: int32
                     * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                     */
                    mediaTokens: number;
                    /**
                     * Format: int32
                     * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                     */
                    contextTokens: number | null;
                    /** @constant */
                    currency: "USDC";
                    /**
                     * Format: date-time
                     * @description When the higher terms take effect.
                     */
                    effectiveAt: string;
                };
                /** @description What compares fixed prices with those of tokens: the fixed price, or that of a call of 1,000 input and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of calls of the last seven days that the provider answered well, newer ones weighing more: charged calls, and failed ones that would have been, of others who have deposited money, at the price in force or above. Null until there were enough. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean time of those that went well, in ms; null until there were enough.
                 */
                latencyMs: number | null;
            })[];
            services: ({
                serviceId: string;
                serviceName: string;
                /** @description Unique; taken wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
                targetVerified: boolean;
                /** @constant */
                serviceKind: "api";
                /** @constant */
                priceModel: "fixed";
                pricing: {
                    amount: string;
                    /** @constant */
                    currency: "USDC";
                };
                /** @description After a raise: callers who assert no price (MCP) pay `amountUntilThen` until `effectiveAt`, and `amount` from then on. `costUsdc` must be `pricing.amount` all the time. */
                scheduledPricing?: {
                    amount: string;
                    /** @constant */
                    currency: "USDC";
                    amountUntilThen: string;
                    /**
                     * Format: date-time
                     * @description When the higher terms take effect.
                     */
                    effectiveAt: string;
                };
                /** @description What compares fixed prices with those of tokens: the fixed price, or that of a call of 1,000 input and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of calls of the last seven days that the provider answered well, newer ones weighing more: charged calls, and failed ones that would have been, of others who have deposited money, at the price in force or above. Null until there were enough. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean time of those that went well, in ms; null until there were enough.
                 */
                latencyMs: number | null;
            } | {
                serviceId: string;
                serviceName: string;
                /** @description Unique; taken wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
                targetVerified: boolean;
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                cacheReadPricePer1M: string | null;
                /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                cacheWritePricePer1M: string | null;
                /** @constant */
                serviceKind: "llm";
                /** @constant */
                priceModel: "token_metered";
                /** Format: int32 */
                defaultMaxOutputTokens: number;
                maxAutoHoldUsdc: string;
                holdBufferMultiplier: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                 */
                contextTokens: number | null;
                /** @enum {string} */
                llmDialect: "openai" | "anthropic";
                /** @description Services of the same family offer the same model; null: it is of none. */
                modelFamily: string | null;
                pricing: {
                    inputPricePer1MTokensUsdc: string;
                    outputPricePer1MTokensUsdc: string;
                    /** @constant */
                    currency: "USDC";
                };
                /** @description After a raise: the saved terms, which take effect at `effectiveAt`. */
                scheduledPricing?: {
                    inputPricePer1MTokensUsdc: string;
                    outputPricePer1MTokensUsdc: string;
                    /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                    cacheReadPricePer1M: string | null;
                    /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                    cacheWritePricePer1M: string | null;
                    /** Format: int32 */
                    defaultMaxOutputTokens: number;
                    maxAutoHoldUsdc: string;
                    holdBufferMultiplier: number;
                    /**
                     * Format: int32
                     * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                     */
                    mediaTokens: number;
                    /**
                     * Format: int32
                     * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                     */
                    contextTokens: number | null;
                    /** @constant */
                    currency: "USDC";
                    /**
                     * Format: date-time
                     * @description When the higher terms take effect.
                     */
                    effectiveAt: string;
                };
                /** @description What compares fixed prices with those of tokens: the fixed price, or that of a call of 1,000 input and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of calls of the last seven days that the provider answered well, newer ones weighing more: charged calls, and failed ones that would have been, of others who have deposited money, at the price in force or above. Null until there were enough. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean time of those that went well, in ms; null until there were enough.
                 */
                latencyMs: number | null;
            })[];
        };
        SearchServicesBody: {
            /** @description Free text; absent: all services. Words may be misspelt or cut short. */
            query?: string | null;
            /** @description Tags that a service must have, all of them, in any case. */
            tags?: string[] | null;
            /**
             * Format: int32
             * @description From 1.
             */
            page?: number;
            /** Format: int32 */
            pageSize?: number;
            /**
             * @description Default `best_match`. `lowest_price` compares `typicalPriceUsdc`; `fastest` and `highest_reliability` compare metered calls of the last seven days, and services with too few of them come last.
             * @enum {string|null}
             */
            sort?: "best_match" | "lowest_price" | "fastest" | "highest_reliability" | null;
            /** @enum {string|null} */
            serviceKind?: "api" | "llm" | null;
            /** @enum {string|null} */
            llmDialect?: "openai" | "anthropic" | null;
            /** @description Highest `typicalPriceUsdc`. */
            maxPriceUsdc?: (string | number) | null;
            /** @description Leaves out services with too few calls to tell. */
            minSuccessRate?: number | null;
            /**
             * Format: int32
             * @description Leaves out services with too few calls to tell.
             */
            maxLatencyMs?: number | null;
        } | null;
        SecretNotFoundError: {
            /** @enum {string} */
            code: "SECRET_NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "SECRET_NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        Service: {
            serviceId: string;
            serviceName: string;
            /** @description Unique; taken wherever a service id is. */
            agentToolName: string;
            summary: string;
            description: string;
            tags: string[];
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            isActive: boolean;
            /** @description Whether a call would find a healthy target now. */
            runtimeAvailable: boolean;
            /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
            targetVerified: boolean;
            /** @constant */
            serviceKind: "api";
            /** @constant */
            priceModel: "fixed";
            pricing: {
                amount: string;
                /** @constant */
                currency: "USDC";
            };
            /** @description After a raise: callers who assert no price (MCP) pay `amountUntilThen` until `effectiveAt`, and `amount` from then on. `costUsdc` must be `pricing.amount` all the time. */
            scheduledPricing?: {
                amount: string;
                /** @constant */
                currency: "USDC";
                amountUntilThen: string;
                /**
                 * Format: date-time
                 * @description When the higher terms take effect.
                 */
                effectiveAt: string;
            };
            ownerAddress: string;
            invoke: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                targets: {
                    url: string;
                    weight: number;
                    isHealthy: boolean;
                }[];
                request: {
                    [key: string]: unknown;
                };
                response: {
                    [key: string]: unknown;
                };
                /** Format: int32 */
                timeoutMs: number;
            };
            healthCheck: {
                /** @description Relative to the origin of each target; absent: the target's own URL. */
                path?: string;
                /** Format: int32 */
                timeoutMs?: number;
                /** @description Statuses that are healthy; absent: every one below 500. */
                successCodes?: number[];
                /** @enum {string} */
                method: "GET" | "HEAD" | "POST" | "OPTIONS";
                /** Format: int32 */
                healthyThreshold: number;
                /** Format: int32 */
                unhealthyThreshold: number;
            } | null;
            hasUpstreamHeaders: boolean;
            /** @enum {string} */
            signature: "ed25519" | "hmac-sha256";
            providerProfile: {
                [key: string]: unknown;
            } | null;
            payoutAccount: unknown;
            governance: {
                [key: string]: unknown;
            } | null;
            health: components["schemas"]["ServiceHealth"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        } | {
            serviceId: string;
            serviceName: string;
            /** @description Unique; taken wherever a service id is. */
            agentToolName: string;
            summary: string;
            description: string;
            tags: string[];
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            isActive: boolean;
            /** @description Whether a call would find a healthy target now. */
            runtimeAvailable: boolean;
            /** @description Whether every target named the wallet of the service, in `/.well-known/farebox.json`, when they were last changed. */
            targetVerified: boolean;
            inputPricePer1MTokensUsdc: string;
            outputPricePer1MTokensUsdc: string;
            /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
            cacheReadPricePer1M: string | null;
            /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
            cacheWritePricePer1M: string | null;
            /** @constant */
            serviceKind: "llm";
            /** @constant */
            priceModel: "token_metered";
            /** Format: int32 */
            defaultMaxOutputTokens: number;
            maxAutoHoldUsdc: string;
            holdBufferMultiplier: number;
            /**
             * Format: int32
             * @description Input tokens that the hold counts for an image, a sound or a file in base64.
             */
            mediaTokens: number;
            /**
             * Format: int32
             * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
             */
            contextTokens: number | null;
            /** @enum {string} */
            llmDialect: "openai" | "anthropic";
            /** @description Services of the same family offer the same model; null: it is of none. */
            modelFamily: string | null;
            pricing: {
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @constant */
                currency: "USDC";
            };
            /** @description After a raise: the saved terms, which take effect at `effectiveAt`. */
            scheduledPricing?: {
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price of a million input tokens that are read from a cache; null: as any input token. */
                cacheReadPricePer1M: string | null;
                /** @description Price of a million input tokens that are written to a cache; null: as any input token. */
                cacheWritePricePer1M: string | null;
                /** Format: int32 */
                defaultMaxOutputTokens: number;
                maxAutoHoldUsdc: string;
                holdBufferMultiplier: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens that the hold counts for a prompt that names context; null: it takes none.
                 */
                contextTokens: number | null;
                /** @constant */
                currency: "USDC";
                /**
                 * Format: date-time
                 * @description When the higher terms take effect.
                 */
                effectiveAt: string;
            };
            ownerAddress: string;
            invoke: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                targets: {
                    url: string;
                    weight: number;
                    isHealthy: boolean;
                }[];
                request: {
                    [key: string]: unknown;
                };
                response: {
                    [key: string]: unknown;
                };
                /** Format: int32 */
                timeoutMs: number;
            };
            healthCheck: {
                /** @description Relative to the origin of each target; absent: the target's own URL. */
                path?: string;
                /** Format: int32 */
                timeoutMs?: number;
                /** @description Statuses that are healthy; absent: every one below 500. */
                successCodes?: number[];
                /** @enum {string} */
                method: "GET" | "HEAD" | "POST" | "OPTIONS";
                /** Format: int32 */
                healthyThreshold: number;
                /** Format: int32 */
                unhealthyThreshold: number;
            } | null;
            hasUpstreamHeaders: boolean;
            /** @enum {string} */
            signature: "ed25519" | "hmac-sha256";
            providerProfile: {
                [key: string]: unknown;
            } | null;
            payoutAccount: unknown;
            governance: {
                [key: string]: unknown;
            } | null;
            health: components["schemas"]["ServiceHealth"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            upstreamModel: string | null;
        };
        ServiceAlreadyDeletedError: {
            /** @enum {string} */
            code: "SERVICE_ALREADY_DELETED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "SERVICE_ALREADY_DELETED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        ServiceDeleteActiveConflictError: {
            /** @enum {string} */
            code: "SERVICE_DELETE_ACTIVE_CONFLICT";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "SERVICE_DELETE_ACTIVE_CONFLICT";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        ServiceHealth: {
            /** @enum {string} */
            overallStatus: "healthy" | "degraded" | "unhealthy" | "unknown";
            /** Format: int32 */
            healthyTargets: number;
            /** Format: int32 */
            totalTargets: number;
            /**
             * Format: int64
             * @description Unix seconds; null before the first probe.
             */
            lastCheckedAt: number | null;
            runtimeAvailable: boolean;
        };
        ServiceNotAllowedOrWalletSuspendedError: {
            /** @enum {string} */
            code: "SERVICE_NOT_ALLOWED" | "WALLET_SUSPENDED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "SERVICE_NOT_ALLOWED" | "WALLET_SUSPENDED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        ServiceNotFoundError: {
            /** @enum {string} */
            code: "SERVICE_NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "SERVICE_NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        ServiceSummary: components["schemas"]["ApiServiceSummary"] | components["schemas"]["LlmServiceSummary"];
        ServiceSuspendedOrWalletSuspendedError: {
            /** @enum {string} */
            code: "SERVICE_SUSPENDED" | "WALLET_SUSPENDED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "SERVICE_SUSPENDED" | "WALLET_SUSPENDED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        SetSpendingPolicyAnswer: {
            /** @constant */
            status: "success";
            /** @description Per UTC month; null: no cap. */
            spendingLimitUsdc: string | null;
            allowUnlimited: boolean;
            /** @description Per UTC day; null: no cap. */
            dailyLimitUsdc: string | null;
            /** @description Null: no cap. */
            perCallLimitUsdc: string | null;
            /** @description Charged and held, this UTC month. */
            spentThisMonthUsdc: string;
            /** @description Charged and held, this UTC day. */
            spentTodayUsdc: string;
        };
        SetSpendingPolicyBody: {
            /** @description Cap per UTC month; null: the default of the gateway. */
            spendingLimitUsdc?: (string | number) | null;
            /** @description Takes the monthly cap away. */
            allowUnlimited?: boolean;
            /** @description Cap per UTC day; null: none. */
            dailyLimitUsdc?: (string | number) | null;
            /** @description Cap on one call; null: none. */
            perCallLimitUsdc?: (string | number) | null;
        };
        SigningSecret: {
            /** @description `keyid` of the signatures made with it. */
            keyId: string;
            /**
             * Format: date-time
             * @description When it signs the first request. A gateway may use the one before for two seconds more.
             */
            signsFrom: string;
            /** Format: date-time */
            createdAt: string;
        };
        SubmitFeedbackAnswer: {
            /** @constant */
            status: "success";
            feedbackId: string;
            /** @description Whether something that looked like a secret was cut out of what is stored. */
            redacted: boolean;
            supportCaseCreated: boolean;
            /** @description There when a support case was created. */
            supportTaskId?: string;
        };
        SubmitFeedbackBody: {
            /** @enum {string} */
            source: "docs" | "console" | "api" | "agent";
            /** @enum {string} */
            sentiment: "helpful" | "not_helpful" | "neutral";
            /** @enum {string|null} */
            category?: "docs_issue" | "bug" | "billing" | "account" | "abuse" | "feature_request" | "other" | null;
            route?: string | null;
            message: string;
            context?: {
                [key: string]: unknown;
            } | null;
        };
        SuspendServiceAnswer: {
            /** @constant */
            status: "success";
            serviceId: string;
            service: {
                serviceId: string;
                ownerAddress: string;
                agentToolName: string;
                serviceName: string;
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /**
                 * Format: date-time
                 * @description Null while it is not suspended.
                 */
                suspendedAt: string | null;
            };
        };
        SuspendServiceBody: {
            /**
             * @description Kept in the audit log.
             * @example Reported for returning other answers than it is paid for.
             */
            reason?: string | null;
        } | null;
        SuspendWalletAnswer: {
            /** @constant */
            status: "success";
            walletAddress: string;
            wallet: {
                walletAddress: string;
                username: string;
                isProvider: boolean;
                /**
                 * Format: date-time
                 * @description Null while it is not suspended.
                 */
                suspendedAt: string | null;
                /** Format: date-time */
                createdAt: string;
            };
        };
        SuspendWalletBody: {
            /**
             * @description Kept in the audit log.
             * @example Reported for returning other answers than it is paid for.
             */
            reason?: string | null;
        } | null;
        TestWebhookAnswer: {
            /** @constant */
            status: "success";
            delivery: {
                id: string;
                /** @enum {string} */
                type: "deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                /** @enum {string} */
                status: "pending" | "delivered" | "failed";
                /** Format: int64 */
                attempts: number;
                /**
                 * Format: int32
                 * @description Of the last answer.
                 */
                responseStatus: number | null;
                /**
                 * @description Of the last attempt.
                 * @enum {string|null}
                 */
                error: "status" | "timeout" | "connect" | "reset" | "redirect" | "blocked_address" | "too_large" | "encoding" | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastAttemptAt: string | null;
                /**
                 * Format: date-time
                 * @description While it is pending and the webhook active.
                 */
                nextAttemptAt: string | null;
                payload: {
                    /** @enum {string} */
                    type: "deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                    /** Format: date-time */
                    timestamp: string;
                    /** @description See docs/webhooks.md for each type. */
                    data: {
                        [key: string]: components["schemas"]["AnyJson"];
                    };
                };
            };
        };
        TokenUsage: {
            /** Format: int32 */
            inputTokens: number;
            /** Format: int32 */
            outputTokens: number;
            /** Format: int32 */
            totalTokens: number;
            /**
             * Format: int32
             * @description Of the input: read from a cache. Absent in the stored answers of older gateways.
             */
            cacheReadTokens?: number;
            /**
             * Format: int32
             * @description Of the input: written to a cache. Absent in the stored answers of older gateways.
             */
            cacheWriteTokens?: number;
            /**
             * Format: int32
             * @description The total that the provider stated. Present only when it is not input and output together, which are charged.
             */
            statedTotalTokens?: number;
        };
        TopicLockedError: {
            /** @enum {string} */
            code: "TOPIC_LOCKED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "TOPIC_LOCKED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        TxHashReplayOrWithdrawalNotOpenOrWithdrawalTxNotConfirmedError: {
            /** @enum {string} */
            code: "TX_HASH_REPLAY" | "WITHDRAWAL_NOT_OPEN" | "WITHDRAWAL_TX_NOT_CONFIRMED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "TX_HASH_REPLAY" | "WITHDRAWAL_NOT_OPEN" | "WITHDRAWAL_TX_NOT_CONFIRMED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        UnauthorizedError: {
            /** @enum {string} */
            code: "UNAUTHORIZED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "UNAUTHORIZED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        UnavailableError: {
            /** @enum {string} */
            code: "UNAVAILABLE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "UNAVAILABLE";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        UnavailableOrWithdrawVaultLiquidityCheckUnavailableError: {
            /** @enum {string} */
            code: "UNAVAILABLE" | "WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "UNAVAILABLE" | "WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        UnlockTopicAnswer: {
            /** @constant */
            status: "success";
            topic: {
                topicId: string;
                title: string;
                /** @enum {string} */
                category: "general" | "providers" | "agents" | "announcements" | "support";
                excerpt: string;
                author: {
                    walletAddress: string | null;
                    username: string;
                    /** @description Whether this is a wallet of the operator of the gateway. */
                    isStaff: boolean;
                };
                /** Format: int64 */
                replyCount: number;
                /** Format: int64 */
                voteCount: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActivityAt: string;
                pinned: boolean;
                locked: boolean;
            };
        };
        UnpinTopicAnswer: {
            /** @constant */
            status: "success";
            topic: {
                topicId: string;
                title: string;
                /** @enum {string} */
                category: "general" | "providers" | "agents" | "announcements" | "support";
                excerpt: string;
                author: {
                    walletAddress: string | null;
                    username: string;
                    /** @description Whether this is a wallet of the operator of the gateway. */
                    isStaff: boolean;
                };
                /** Format: int64 */
                replyCount: number;
                /** Format: int64 */
                voteCount: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastActivityAt: string;
                pinned: boolean;
                locked: boolean;
            };
        };
        UnsupportedMediaTypeError: {
            /** @enum {string} */
            code: "UNSUPPORTED_MEDIA_TYPE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "UNSUPPORTED_MEDIA_TYPE";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        UnvoteTopicAnswer: {
            /** @constant */
            status: "success";
            topicId: string;
            voted: boolean;
            /** Format: int64 */
            voteCount: number;
        };
        UpdateCredentialAnswer: {
            /** @constant */
            status: "success";
            credentialId: string;
            credential: components["schemas"]["Credential"];
        };
        UpdateCredentialBody: {
            /**
             * Format: int64
             * @description Cap on calls, for life.
             */
            maxCalls?: number | null;
            creditLimit?: (string | number) | null;
            maxCostPerCallUsdc?: (string | number) | null;
            /** Format: int32 */
            rpm?: number;
            /** @enum {string} */
            resetInterval?: "hourly" | "daily" | "weekly" | "monthly" | "never";
            /**
             * Format: int32
             * @description Seconds from now until it expires.
             */
            expiresInSec?: number | null;
            /** @description When it expires: ISO 8601 or Unix seconds. */
            expiresAt?: (string | number) | null;
            /** @description The same as `expiresAt`. */
            expiration?: (string | number) | null;
            name?: string;
            allowedServices?: string[] | null;
        };
        UpdateCredentialQuotaAnswer: {
            /** @constant */
            status: "success";
            credentialId: string;
            credential: components["schemas"]["Credential"];
        };
        UpdateCredentialQuotaBody: {
            /**
             * Format: int64
             * @description Cap on calls, for life.
             */
            maxCalls?: number | null;
            creditLimit?: (string | number) | null;
            maxCostPerCallUsdc?: (string | number) | null;
            /** Format: int32 */
            rpm?: number;
            /** @enum {string} */
            resetInterval?: "hourly" | "daily" | "weekly" | "monthly" | "never";
            /**
             * Format: int32
             * @description Seconds from now until it expires.
             */
            expiresInSec?: number | null;
            /** @description When it expires: ISO 8601 or Unix seconds. */
            expiresAt?: (string | number) | null;
            /** @description The same as `expiresAt`. */
            expiration?: (string | number) | null;
        };
        UpdateProfileAnswer: {
            wallet_address: string;
            walletAddress: string;
            ownerAddress: string;
            username: string;
            /**
             * Format: email
             * @description The verified address.
             */
            email: string | null;
            emailVerified: boolean;
            /**
             * Format: email
             * @description An address that waits for its code.
             */
            pendingEmail: string | null;
            /**
             * @description `locked`: five wrong codes; a resend or another address unlocks.
             * @enum {string}
             */
            emailVerificationStatus: "none" | "pending" | "verified" | "locked";
            /**
             * Format: int32
             * @description Verification mails left on this UTC day.
             */
            emailVerificationSendsRemaining: number;
            /** @description Whether the wallet wishes mail about events. Kept and shown; the mails of codes do not depend on it. */
            notifications: boolean;
            roles: ("owner" | "provider" | "admin")[];
            /** Format: date-time */
            createdAt: string;
            profile: {
                wallet_address: string;
                walletAddress: string;
                ownerAddress: string;
                username: string;
                /**
                 * Format: email
                 * @description The verified address.
                 */
                email: string | null;
                emailVerified: boolean;
                /**
                 * Format: email
                 * @description An address that waits for its code.
                 */
                pendingEmail: string | null;
                /**
                 * @description `locked`: five wrong codes; a resend or another address unlocks.
                 * @enum {string}
                 */
                emailVerificationStatus: "none" | "pending" | "verified" | "locked";
                /**
                 * Format: int32
                 * @description Verification mails left on this UTC day.
                 */
                emailVerificationSendsRemaining: number;
                /** @description Whether the wallet wishes mail about events. Kept and shown; the mails of codes do not depend on it. */
                notifications: boolean;
                roles: ("owner" | "provider" | "admin")[];
                /** Format: date-time */
                createdAt: string;
            };
        };
        UpdateProfileBody: {
            message: string;
            signature: string;
            /** @example Ada */
            username?: string;
            /**
             * Format: email
             * @description A new address is mailed a code and stays pending until that is confirmed. The verified one cancels a pending change, null removes both.
             * @example ada@example.com
             */
            email?: string | null;
            notifications?: boolean;
        };
        UpdateServiceAnswer: {
            /** @constant */
            status: "success";
            serviceId: string;
            isActive: boolean;
            service: components["schemas"]["Service"];
        };
        UpdateServiceBody: {
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly serviceId?: unknown;
            /** @enum {string} */
            status?: "active" | "inactive" | "suspended" | "deleted" | "paused";
            isActive?: boolean;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly runtimeAvailable?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly targetVerified?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly scheduledPricing?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly ownerAddress?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly hasUpstreamHeaders?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly health?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly createdAt?: unknown;
            /** @description Of the record as it is shown. Sending it changes nothing. */
            readonly updatedAt?: unknown;
            serviceName?: string;
            agentToolName?: string | null;
            summary?: string | null;
            description?: string | null;
            tags?: string[] | null;
            /** @enum {string|null} */
            serviceKind?: "api" | "llm" | null;
            /** @enum {string|null} */
            priceModel?: "fixed" | "token_metered" | null;
            pricing?: {
                /** @enum {string} */
                currency?: "USDC" | "usdc";
                amount?: (string | number) | null;
                inputPricePer1MTokensUsdc?: (string | number) | null;
                outputPricePer1MTokensUsdc?: (string | number) | null;
                cacheReadPricePer1M?: (string | number) | null;
                cacheWritePricePer1M?: (string | number) | null;
                /** Format: int32 */
                defaultMaxOutputTokens?: number | null;
                maxAutoHoldUsdc?: (string | number) | null;
                holdBufferMultiplier?: (string | number) | null;
            };
            inputPricePer1MTokensUsdc?: (string | number) | null;
            outputPricePer1MTokensUsdc?: (string | number) | null;
            cacheReadPricePer1M?: (string | number) | null;
            cacheWritePricePer1M?: (string | number) | null;
            /** Format: int32 */
            defaultMaxOutputTokens?: number | null;
            maxAutoHoldUsdc?: (string | number) | null;
            holdBufferMultiplier?: (string | number) | null;
            /** @enum {string|null} */
            llmDialect?: "openai" | "anthropic" | null;
            /** Format: int32 */
            mediaTokens?: number | null;
            /** Format: int32 */
            contextTokens?: number | null;
            modelFamily?: string | null;
            upstreamModel?: string | null;
            invoke?: {
                /** @enum {string} */
                method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                targets: {
                    /** Format: uri */
                    url: string;
                    /** @default 1 */
                    weight?: number;
                    /** @description Of the record as it is shown. Sending it changes nothing. */
                    readonly isHealthy?: unknown;
                }[];
                /** @default {} */
                request?: {
                    [key: string]: unknown;
                };
                /** @default {} */
                response?: {
                    [key: string]: unknown;
                };
                /**
                 * Format: int32
                 * @default 30000
                 */
                timeoutMs?: number;
            };
            healthCheck?: {
                /** @description Relative to the origin of each target; absent: the target's own URL. */
                path?: string;
                /** Format: int32 */
                timeoutMs?: number;
                /** @description Statuses that are healthy; absent: every one below 500. */
                successCodes?: number[];
                /** @enum {string} */
                method?: "GET" | "HEAD" | "POST" | "OPTIONS";
                /**
                 * Format: int32
                 * @description Good probes in a row until a target is healthy.
                 * @default 1
                 */
                healthyThreshold?: number;
                /**
                 * Format: int32
                 * @description Bad probes in a row until a target is not.
                 * @default 1
                 */
                unhealthyThreshold?: number;
            } | null;
            upstreamHeaders?: {
                [key: string]: string;
            } | null;
            /**
             * @description What requests to the targets are signed with: a key of the gateway (Ed25519, the default), or the signing secret of the wallet (HMAC-SHA256), which costs a verifier 3 us in place of 100.
             * @enum {string|null}
             */
            signature?: "ed25519" | "hmac-sha256" | null;
            providerProfile?: {
                [key: string]: unknown;
            } | null;
            payoutAccount?: unknown;
            governance?: {
                [key: string]: unknown;
            } | null;
        };
        UpdateWebhookAnswer: {
            /** @constant */
            status: "success";
            webhook: {
                id: string;
                url: string;
                events: ("deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
                /** @enum {string} */
                status: "active" | "disabled";
                /**
                 * @description `owner`: switched off. `gone`: the receiver answered 410. `failing`: it took nothing for five days.
                 * @enum {string|null}
                 */
                disabledReason: "owner" | "gone" | "failing" | null;
                /**
                 * Format: date-time
                 * @description First failure after the last success.
                 */
                failingSince: string | null;
                /** Format: date-time */
                lastSuccessAt: string | null;
                /**
                 * Format: date-time
                 * @description Until then the secret before signs, too.
                 */
                previousSecretUntil: string | null;
                /**
                 * Format: int64
                 * @description Events not queued, because there were too many.
                 */
                suppressedLastDay: number;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            };
        };
        UpdateWebhookBody: {
            /** @description Where to POST to; on the public internet. */
            url?: string;
            events?: ("deposit.credited" | "balance.low" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
            /** @description False stops deliveries, true resumes them. */
            isActive?: boolean;
        };
        UpstreamErrorError: {
            /** @enum {string} */
            code: "UPSTREAM_ERROR";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "UPSTREAM_ERROR";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        UsageLog: {
            invocationId: string;
            serviceId: string;
            /**
             * @description PENDING: held and running. PROCESSING: a model answered, and its usage is awaited. SUCCEEDED: charged. FAILED_RETRYABLE and FAILED_FINAL: released, nothing is charged.
             * @enum {string}
             */
            status: "PENDING" | "PROCESSING" | "SUCCEEDED" | "FAILED_RETRYABLE" | "FAILED_FINAL";
            chargedUsdc: string;
            holdUsdc: string;
            releasedUsdc: string;
            errorCode: string | null;
            /** Format: int64 */
            latencyMs: number | null;
            /** Format: int32 */
            attempts: number;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            finishedAt: string | null;
            credentialId: string;
            idempotencyKey: string;
            /** Format: int32 */
            inputTokens: number | null;
            /** Format: int32 */
            outputTokens: number | null;
            /**
             * Format: int32
             * @description Of the input: read from a cache.
             */
            cacheReadTokens: number | null;
            /**
             * Format: int32
             * @description Of the input: written to a cache.
             */
            cacheWriteTokens: number | null;
        };
        VerifyChallengeAnswer: {
            /** @constant */
            success: true;
            token: string;
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** Format: int32 */
            expires_in: number;
        };
        VerifyChallengeBody: {
            address: string;
            message: string;
            signature: string;
        };
        VerifyEmailCodeAnswer: {
            profile: {
                wallet_address: string;
                walletAddress: string;
                ownerAddress: string;
                username: string;
                /**
                 * Format: email
                 * @description The verified address.
                 */
                email: string | null;
                emailVerified: boolean;
                /**
                 * Format: email
                 * @description An address that waits for its code.
                 */
                pendingEmail: string | null;
                /**
                 * @description `locked`: five wrong codes; a resend or another address unlocks.
                 * @enum {string}
                 */
                emailVerificationStatus: "none" | "pending" | "verified" | "locked";
                /**
                 * Format: int32
                 * @description Verification mails left on this UTC day.
                 */
                emailVerificationSendsRemaining: number;
                /** @description Whether the wallet wishes mail about events. Kept and shown; the mails of codes do not depend on it. */
                notifications: boolean;
                roles: ("owner" | "provider" | "admin")[];
                /** Format: date-time */
                createdAt: string;
            };
        };
        VerifyEmailCodeBody: {
            /**
             * Format: email
             * @example ada@example.com
             */
            email: string;
            /** @example 314159 */
            code: string;
        };
        VoteTopicAnswer: {
            /** @constant */
            status: "success";
            topicId: string;
            voted: boolean;
            /** Format: int64 */
            voteCount: number;
        };
        VoucherExpiredError: {
            /** @enum {string} */
            code: "VOUCHER_EXPIRED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "VOUCHER_EXPIRED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        VoucherNotFoundError: {
            /** @enum {string} */
            code: "VOUCHER_NOT_FOUND";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "VOUCHER_NOT_FOUND";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        WalletSuspendedError: {
            /** @enum {string} */
            code: "WALLET_SUSPENDED";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "WALLET_SUSPENDED";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        WithdrawFeesAnswer: {
            /** @constant */
            status: "success";
            ownerAddress: string;
            withdrawalId: string;
            /** @description The same as withdrawalId. */
            intentId: string;
            /** @enum {string} */
            statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            amountUsdc: string;
            /** @description While it can be redeemed; null while the withdrawal waits for a review. */
            ticket: components["schemas"]["WithdrawalTicket"] | null;
        };
        WithdrawFeesBody: {
            amountUsdc: string | number;
            /** @description Who is paid: your own wallet when it is absent. */
            destinationAddress?: string;
            /** @description Kept in the audit log. */
            reason?: string | null;
        };
        Withdrawal: {
            withdrawalId: string;
            /** @description The same as withdrawalId. */
            intentId: string;
            amountUsdc: string;
            /** @description The part of it that was earned from vouchers. Above zero, it waits for a review. */
            promotionalUsdc: string;
            /**
             * @description What its wallet has earned, or fees of the platform that an admin pays out.
             * @enum {string}
             */
            source: "earnings" | "fees";
            /** @enum {string} */
            status: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            /** @enum {string} */
            statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            /** @description While it can be redeemed. */
            ticket: components["schemas"]["WithdrawalTicket"] | null;
            /** @description Of the transaction that redeemed it. */
            txHash: string | null;
            /** @description What its reviewer says. */
            reason: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WithdrawalNotOpenError: {
            /** @enum {string} */
            code: "WITHDRAWAL_NOT_OPEN";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "WITHDRAWAL_NOT_OPEN";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
        WithdrawalTicket: {
            to: string;
            /** @description Base units of USDC: millionths. */
            amount: string;
            /**
             * Format: int64
             * @description Unix seconds of chain time.
             */
            deadline: number;
            withdrawalId: string;
            /** @description keccak256 of the withdrawalId. */
            nonce: string;
            vault: string;
            /** Format: int64 */
            chainId: number;
            /** @description The gateway's EIP-712 signature of the ticket. */
            signature: string;
        };
        WithdrawalTxMismatchError: {
            /** @enum {string} */
            code: "WITHDRAWAL_TX_MISMATCH";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "WITHDRAWAL_TX_MISMATCH";
                message: string;
            } & {
                [key: string]: unknown;
            };
        };
    };
    responses: {
        /** @description `BUDGET_EXHAUSTED`: The budget does not allow this call. */
        BudgetExhaustedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BudgetExhaustedError"];
            };
        };
        /**
         * @description `CHALLENGE_EXPIRED`: The challenge is unknown, used or expired. Request a new one.
         *
         *     `UNAUTHORIZED`: A valid wallet session token is required.
         *
         *     `VERIFICATION_FAILED`: The signature does not prove control of the wallet.
         */
        ChallengeExpiredOrUnauthorizedOrVerificationFailedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChallengeExpiredOrUnauthorizedOrVerificationFailedError"];
            };
        };
        /**
         * @description `CHALLENGE_EXPIRED`: The challenge is unknown, used or expired. Request a new one.
         *
         *     `VERIFICATION_FAILED`: The signature does not prove control of the wallet.
         */
        ChallengeExpiredOrVerificationFailedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChallengeExpiredOrVerificationFailedError"];
            };
        };
        /**
         * @description `CREDENTIAL_INACTIVE`: The agent credential is revoked or expired.
         *
         *     `CREDENTIAL_INVALID`: A valid agent credential is required.
         */
        CredentialInactiveOrCredentialInvalidLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CredentialInactiveOrCredentialInvalidError"];
            };
        };
        /**
         * @description `CREDENTIAL_INACTIVE`: The agent credential is revoked or expired.
         *
         *     `CREDENTIAL_INVALID`: A valid agent credential is required.
         *
         *     `UNAUTHORIZED`: A valid wallet session token is required.
         */
        CredentialInactiveOrCredentialInvalidOrUnauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CredentialInactiveOrCredentialInvalidOrUnauthorizedError"];
            };
        };
        /**
         * @description `CREDENTIAL_NOT_FOUND`: There is no such credential.
         *
         *     `NOT_FOUND`: There is nothing at this path.
         */
        CredentialNotFoundOrNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CredentialNotFoundOrNotFoundError"];
            };
        };
        /** @description `DEPOSIT_NOT_CONFIRMED`: The deposit is not confirmed on chain yet. */
        DepositNotConfirmed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DepositNotConfirmedError"];
            };
        };
        /**
         * @description `DEPOSIT_NOT_FOUND`: There is no such deposit intent.
         *
         *     `NOT_FOUND`: There is nothing at this path.
         */
        DepositNotFoundOrNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DepositNotFoundOrNotFoundError"];
            };
        };
        /** @description `DEPOSIT_REJECTED`: The transaction is not a deposit that can be credited. */
        DepositRejected: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DepositRejectedError"];
            };
        };
        /** @description `DUPLICATE_SERVICE_ID`: This agentToolName is already taken. */
        DuplicateServiceId: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DuplicateServiceIdError"];
            };
        };
        /**
         * @description `DUPLICATE_TX_HASH`: This transaction hash is already registered.
         *
         *     `IDEMPOTENCY_CONFLICT`: This idempotency key was used with another request.
         *
         *     `IDEMPOTENCY_IN_PROGRESS`: The first request with this idempotency key is still running.
         */
        DuplicateTxHashOrIdempotencyConflictOrIdempotencyInProgressLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DuplicateTxHashOrIdempotencyConflictOrIdempotencyInProgressError"];
            };
        };
        /**
         * @description `EMAIL_VERIFICATION_DAILY_LIMIT_REACHED`: No verification mails are left today.
         *
         *     `RATE_LIMITED`: Too many requests.
         */
        EmailVerificationDailyLimitReachedOrRateLimitedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EmailVerificationDailyLimitReachedOrRateLimitedError"];
            };
        };
        /** @description `EMAIL_VERIFICATION_EXPIRED`: The verification code has expired. */
        EmailVerificationExpired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EmailVerificationExpiredError"];
            };
        };
        /**
         * @description `EMAIL_VERIFICATION_INVALID_CODE`: The verification code is wrong.
         *
         *     `EMAIL_VERIFICATION_NOT_PENDING`: No verification is pending for this email.
         *
         *     `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         */
        EmailVerificationInvalidCodeOrEmailVerificationNotPendingOrInvalidPayloadOrInvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EmailVerificationInvalidCodeOrEmailVerificationNotPendingOrInvalidPayloadOrInvalidRequestError"];
            };
        };
        /** @description `EMAIL_VERIFICATION_LOCKED`: Too many wrong codes. Request a new one. */
        EmailVerificationLocked: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EmailVerificationLockedError"];
            };
        };
        /**
         * @description `EMAIL_VERIFICATION_NOT_PENDING`: No verification is pending for this email.
         *
         *     `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         */
        EmailVerificationNotPendingOrInvalidPayloadOrInvalidRequestLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EmailVerificationNotPendingOrInvalidPayloadOrInvalidRequestError"];
            };
        };
        /**
         * @description `FORBIDDEN`: This wallet may not do that.
         *
         *     `WALLET_SUSPENDED`: This wallet is suspended.
         */
        ForbiddenOrWalletSuspended: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ForbiddenOrWalletSuspendedError"];
            };
        };
        /**
         * @description `FORBIDDEN`: This wallet may not do that.
         *
         *     `WALLET_SUSPENDED`: This wallet is suspended.
         */
        ForbiddenOrWalletSuspendedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ForbiddenOrWalletSuspendedError"];
            };
        };
        /**
         * @description `GATEWAY_INTERRUPTED`: The gateway was interrupted during this call. Nothing was charged.
         *
         *     `UNAVAILABLE`: The gateway cannot serve this request now. Retry shortly.
         */
        GatewayInterruptedOrUnavailableLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["GatewayInterruptedOrUnavailableError"];
            };
        };
        /**
         * @description `IDEMPOTENCY_CONFLICT`: This idempotency key was used with another request.
         *
         *     `IDEMPOTENCY_IN_PROGRESS`: The first request with this idempotency key is still running.
         */
        IdempotencyConflictOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictOrIdempotencyInProgressError"];
            };
        };
        /**
         * @description `IDEMPOTENCY_CONFLICT`: This idempotency key was used with another request.
         *
         *     `IDEMPOTENCY_IN_PROGRESS`: The first request with this idempotency key is still running.
         */
        IdempotencyConflictOrIdempotencyInProgressLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictOrIdempotencyInProgressError"];
            };
        };
        /**
         * @description `IDEMPOTENCY_CONFLICT`: This idempotency key was used with another request.
         *
         *     `IDEMPOTENCY_IN_PROGRESS`: The first request with this idempotency key is still running.
         *
         *     `VOUCHER_ALREADY_REDEEMED`: This voucher is already redeemed.
         */
        IdempotencyConflictOrIdempotencyInProgressOrVoucherAlreadyRedeemedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictOrIdempotencyInProgressOrVoucherAlreadyRedeemedError"];
            };
        };
        /**
         * @description `IDEMPOTENCY_IN_PROGRESS`: The first request with this idempotency key is still running.
         *
         *     `INVALID_STATE`: The record is in a state that does not allow this.
         *
         *     `USAGE_ALREADY_FINAL`: The usage of this invocation is already final.
         */
        IdempotencyInProgressOrInvalidStateOrUsageAlreadyFinalLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyInProgressOrInvalidStateOrUsageAlreadyFinalError"];
            };
        };
        /** @description `INSUFFICIENT_BALANCE`: The owner has no spendable balance. Deposit USDC first. */
        InsufficientBalance: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InsufficientBalanceError"];
            };
        };
        /** @description `INSUFFICIENT_PROVIDER_RECEIVABLE`: The provider receivable is too low. */
        InsufficientProviderReceivable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InsufficientProviderReceivableError"];
            };
        };
        /** @description `INTERNAL`: Something went wrong on our side. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InternalError"];
            };
        };
        /** @description `INTERNAL`: Something went wrong on our side. */
        InternalLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InternalError"];
            };
        };
        /**
         * @description `INVALID_ADDRESS`: The address is not a valid 0x wallet address.
         *
         *     `INVALID_MANIFEST`: The service manifest is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         *
         *     `UNSAFE_TARGET_URL`: The target URL is not allowed.
         */
        InvalidAddressOrInvalidManifestOrInvalidRequestOrUnsafeTargetUrl: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidAddressOrInvalidManifestOrInvalidRequestOrUnsafeTargetUrlError"];
            };
        };
        /**
         * @description `INVALID_ADDRESS`: The address is not a valid 0x wallet address.
         *
         *     `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         */
        InvalidAddressOrInvalidPayloadOrInvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidAddressOrInvalidPayloadOrInvalidRequestError"];
            };
        };
        /**
         * @description `INVALID_ADDRESS`: The address is not a valid 0x wallet address.
         *
         *     `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         *
         *     `MISSING_IDEMPOTENCY_KEY`: The X-Idempotency-Key header is required (1 to 255 printable characters).
         */
        InvalidAddressOrInvalidPayloadOrInvalidRequestOrMissingIdempotencyKey: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidAddressOrInvalidPayloadOrInvalidRequestOrMissingIdempotencyKeyError"];
            };
        };
        /**
         * @description `INVALID_ADDRESS`: The address is not a valid 0x wallet address.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         *
         *     `MISSING_ADDRESS`: The address query parameter is required.
         */
        InvalidAddressOrInvalidRequestOrMissingAddressLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidAddressOrInvalidRequestOrMissingAddressError"];
            };
        };
        /**
         * @description `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         */
        InvalidPayloadOrInvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidPayloadOrInvalidRequestError"];
            };
        };
        /**
         * @description `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         */
        InvalidPayloadOrInvalidRequestLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidPayloadOrInvalidRequestError"];
            };
        };
        /**
         * @description `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         *
         *     `INVALID_TX_HASH`: The transaction hash is not a 32-byte hex string.
         */
        InvalidPayloadOrInvalidRequestOrInvalidTxHash: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidPayloadOrInvalidRequestOrInvalidTxHashError"];
            };
        };
        /**
         * @description `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         *
         *     `INVALID_TX_HASH`: The transaction hash is not a 32-byte hex string.
         */
        InvalidPayloadOrInvalidRequestOrInvalidTxHashLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidPayloadOrInvalidRequestOrInvalidTxHashError"];
            };
        };
        /**
         * @description `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         *
         *     `UNSAFE_TARGET_URL`: The target URL is not allowed.
         */
        InvalidPayloadOrInvalidRequestOrUnsafeTargetUrl: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidPayloadOrInvalidRequestOrUnsafeTargetUrlError"];
            };
        };
        /** @description `INVALID_REQUEST`: The request is malformed. */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRequestError"];
            };
        };
        /** @description `INVALID_REQUEST`: The request is malformed. */
        InvalidRequestLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRequestError"];
            };
        };
        /** @description `INVALID_STATE`: The record is in a state that does not allow this. */
        InvalidState: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidStateError"];
            };
        };
        /**
         * @description `INVOCATION_NOT_FOUND`: There is no such invocation.
         *
         *     `NOT_FOUND`: There is nothing at this path.
         */
        InvocationNotFoundOrNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvocationNotFoundOrNotFoundError"];
            };
        };
        /**
         * @description `INVOCATION_NOT_FOUND`: There is no such invocation.
         *
         *     `NOT_FOUND`: There is nothing at this path.
         */
        InvocationNotFoundOrNotFoundLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvocationNotFoundOrNotFoundError"];
            };
        };
        /** @description `LIMIT_EXCEEDED`: The credit limit exceeds the spending policy of the owner. */
        LimitExceeded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LimitExceededError"];
            };
        };
        /**
         * @description `LIMIT_EXCEEDED`: The credit limit exceeds the spending policy of the owner.
         *
         *     `LLM_AUTO_HOLD_LIMIT_EXCEEDED`: The automatic hold exceeds the cap of the service. Pass maxCostUsdc.
         *
         *     `PRICE_MISMATCH`: The price is not the one the caller asserted. Discover again and retry.
         */
        LimitExceededOrLlmAutoHoldLimitExceededOrPriceMismatchLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LimitExceededOrLlmAutoHoldLimitExceededOrPriceMismatchError"];
            };
        };
        /** @description `LOOP_DETECTED`: This is a call of the gateway itself, which a provider sent back to it. */
        LoopDetected: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LoopDetectedError"];
            };
        };
        /** @description `LOOP_DETECTED`: This is a call of the gateway itself, which a provider sent back to it. */
        LoopDetectedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LoopDetectedError"];
            };
        };
        /** @description `NOT_FOUND`: There is nothing at this path. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundError"];
            };
        };
        /** @description `NOT_FOUND`: There is nothing at this path. */
        NotFoundLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundError"];
            };
        };
        /**
         * @description `NOT_FOUND`: There is nothing at this path.
         *
         *     `SECRET_NOT_FOUND`: There is no such provider secret.
         */
        NotFoundOrSecretNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundOrSecretNotFoundError"];
            };
        };
        /**
         * @description `NOT_FOUND`: There is nothing at this path.
         *
         *     `SERVICE_NOT_FOUND`: There is no such service.
         */
        NotFoundOrServiceNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundOrServiceNotFoundError"];
            };
        };
        /**
         * @description `NOT_FOUND`: There is nothing at this path.
         *
         *     `SERVICE_NOT_FOUND`: There is no such service.
         */
        NotFoundOrServiceNotFoundLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundOrServiceNotFoundError"];
            };
        };
        /**
         * @description `NOT_FOUND`: There is nothing at this path.
         *
         *     `SUPPORT_TASK_NOT_FOUND`: There is no such support task.
         */
        NotFoundOrSupportTaskNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundOrSupportTaskNotFoundError"];
            };
        };
        /**
         * @description `NOT_FOUND`: There is nothing at this path.
         *
         *     `TOPIC_NOT_FOUND`: There is no such topic.
         */
        NotFoundOrTopicNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundOrTopicNotFoundError"];
            };
        };
        /**
         * @description `NOT_FOUND`: There is nothing at this path.
         *
         *     `TOPIC_NOT_FOUND`: There is no such topic.
         */
        NotFoundOrTopicNotFoundLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundOrTopicNotFoundError"];
            };
        };
        /**
         * @description `NOT_FOUND`: There is nothing at this path.
         *
         *     `WEBHOOK_NOT_FOUND`: There is no such webhook.
         */
        NotFoundOrWebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundOrWebhookNotFoundError"];
            };
        };
        /**
         * @description `NOT_FOUND`: There is nothing at this path.
         *
         *     `WEBHOOK_NOT_FOUND`: There is no such webhook.
         */
        NotFoundOrWebhookNotFoundLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundOrWebhookNotFoundError"];
            };
        };
        /**
         * @description `NOT_FOUND`: There is nothing at this path.
         *
         *     `WITHDRAWAL_NOT_FOUND`: There is no such withdrawal.
         */
        NotFoundOrWithdrawalNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundOrWithdrawalNotFoundError"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The request body is too large. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLargeError"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The request body is too large. */
        PayloadTooLargeLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLargeError"];
            };
        };
        /** @description `PROVIDER_SECRET_INVALID`: A valid provider secret is required. */
        ProviderSecretInvalidLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ProviderSecretInvalidError"];
            };
        };
        /** @description `RATE_LIMITED`: Too many requests. */
        RateLimitedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimitedError"];
            };
        };
        /** @description `SECRET_NOT_FOUND`: There is no such provider secret. */
        SecretNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SecretNotFoundError"];
            };
        };
        /** @description `SERVICE_ALREADY_DELETED`: The service is already deleted. */
        ServiceAlreadyDeleted: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceAlreadyDeletedError"];
            };
        };
        /** @description `SERVICE_ALREADY_DELETED`: The service is already deleted. */
        ServiceAlreadyDeletedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceAlreadyDeletedError"];
            };
        };
        /** @description `SERVICE_DELETE_ACTIVE_CONFLICT`: An active service cannot be deleted. Deactivate it first. */
        ServiceDeleteActiveConflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceDeleteActiveConflictError"];
            };
        };
        /**
         * @description `SERVICE_NOT_ALLOWED`: This credential may not call that service.
         *
         *     `WALLET_SUSPENDED`: This wallet is suspended.
         */
        ServiceNotAllowedOrWalletSuspendedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceNotAllowedOrWalletSuspendedError"];
            };
        };
        /** @description `SERVICE_NOT_FOUND`: There is no such service. */
        ServiceNotFoundLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceNotFoundError"];
            };
        };
        /**
         * @description `SERVICE_SUSPENDED`: This service is suspended.
         *
         *     `WALLET_SUSPENDED`: This wallet is suspended.
         */
        ServiceSuspendedOrWalletSuspended: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceSuspendedOrWalletSuspendedError"];
            };
        };
        /**
         * @description `SERVICE_SUSPENDED`: This service is suspended.
         *
         *     `WALLET_SUSPENDED`: This wallet is suspended.
         */
        ServiceSuspendedOrWalletSuspendedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceSuspendedOrWalletSuspendedError"];
            };
        };
        /** @description `TOPIC_LOCKED`: The topic is locked. */
        TopicLockedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TopicLockedError"];
            };
        };
        /**
         * @description `TX_HASH_REPLAY`: This transaction hash is bound to another withdrawal.
         *
         *     `WITHDRAWAL_NOT_OPEN`: The withdrawal is not open.
         *
         *     `WITHDRAWAL_TX_NOT_CONFIRMED`: The withdraw transaction is not confirmed on chain yet.
         */
        TxHashReplayOrWithdrawalNotOpenOrWithdrawalTxNotConfirmed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TxHashReplayOrWithdrawalNotOpenOrWithdrawalTxNotConfirmedError"];
            };
        };
        /** @description `UNAUTHORIZED`: A valid wallet session token is required. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnauthorizedError"];
            };
        };
        /** @description `UNAUTHORIZED`: A valid wallet session token is required. */
        UnauthorizedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnauthorizedError"];
            };
        };
        /** @description `UNAVAILABLE`: The gateway cannot serve this request now. Retry shortly. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnavailableError"];
            };
        };
        /** @description `UNAVAILABLE`: The gateway cannot serve this request now. Retry shortly. */
        UnavailableLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnavailableError"];
            };
        };
        /**
         * @description `UNAVAILABLE`: The gateway cannot serve this request now. Retry shortly.
         *
         *     `WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE`: The liquidity of the vault cannot be verified now. Nothing was locked.
         */
        UnavailableOrWithdrawVaultLiquidityCheckUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnavailableOrWithdrawVaultLiquidityCheckUnavailableError"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The request body must be application/json. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaTypeError"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The request body must be application/json. */
        UnsupportedMediaTypeLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaTypeError"];
            };
        };
        /** @description `UPSTREAM_ERROR`: The provider did not answer the call well. */
        UpstreamErrorLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UpstreamErrorError"];
            };
        };
        /** @description `VOUCHER_EXPIRED`: The voucher has expired. */
        VoucherExpiredLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["VoucherExpiredError"];
            };
        };
        /** @description `VOUCHER_NOT_FOUND`: There is no such voucher. */
        VoucherNotFoundLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["VoucherNotFoundError"];
            };
        };
        /** @description `WALLET_SUSPENDED`: This wallet is suspended. */
        WalletSuspended: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WalletSuspendedError"];
            };
        };
        /** @description `WALLET_SUSPENDED`: This wallet is suspended. */
        WalletSuspendedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WalletSuspendedError"];
            };
        };
        /** @description `WITHDRAWAL_NOT_OPEN`: The withdrawal is not open. */
        WithdrawalNotOpen: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WithdrawalNotOpenError"];
            };
        };
        /** @description `WITHDRAWAL_TX_MISMATCH`: The transaction does not redeem this withdrawal. */
        WithdrawalTxMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WithdrawalTxMismatchError"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Identifies this request in logs; the one that was sent, if one was. */
        "X-Request-Id": string;
        /** @description `*` on public reads without credentials; otherwise the origin of the page, when the operator allows it. */
        "Access-Control-Allow-Origin": string;
        /** @description Seconds after which a retry makes sense. */
        "Retry-After": number;
        /** @description What is left (`r`) and until when in seconds (`t`), by the name of the policy. */
        RateLimit: string;
        /** @description How many requests (`q`) are taken in how many seconds (`w`). */
        "RateLimit-Policy": string;
        /** @description `true` when this is the stored answer of an earlier request with the same key. */
        "Idempotent-Replayed": "true";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadLivenessAnswer"];
                };
            };
        };
    };
    readReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadReadinessAnswer"];
                };
            };
        };
    };
    readMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    readContract: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadContractAnswer"];
                };
            };
        };
    };
    readReference: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/http-message-signatures-directory+json": components["schemas"]["ListSigningKeysAnswer"];
                };
            };
        };
    };
    callMcp: {
        parameters: {
            query?: {
                /** @description Text to look for. */
                query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallMcpBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallMcpAnswer"];
                    "text/event-stream": string;
                };
            };
        };
    };
    readRegistry: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description Most entries of a page. */
                pageSize?: number;
                /** @description Free text over names, summaries, hosts of endpoints, roles and tags. */
                q?: string;
                /** @description A whole tag, in any case. */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadRegistryAnswer"];
                };
            };
        };
    };
    issueChallenge: {
        parameters: {
            query?: {
                /** @description The wallet that is to sign. Must be there. */
                address?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueChallengeAnswer"];
                };
            };
        };
    };
    verifyChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyChallengeBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyChallengeAnswer"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogoutAnswer"];
                };
            };
        };
    };
    readProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadProfileAnswer"];
                };
            };
        };
    };
    issueProfileChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueProfileChallengeAnswer"];
                };
            };
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProfileBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateProfileAnswer"];
                };
            };
        };
    };
    verifyEmailCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyEmailCodeBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyEmailCodeAnswer"];
                };
            };
        };
    };
    resendEmailCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResendEmailCodeBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResendEmailCodeAnswer"];
                };
            };
        };
    };
    readBalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadBalanceAnswer"];
                };
            };
        };
    };
    listLedgerEntries: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListLedgerEntriesAnswer"];
                    "text/csv": string;
                };
            };
        };
    };
    readReserves: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadReservesAnswer"];
                };
            };
        };
    };
    listSeals: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSealsAnswer"];
                };
            };
        };
    };
    readInclusion: {
        parameters: {
            query?: {
                /** @description Of the tree to prove it in; absent: the newest. */
                merkleRoot?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadInclusionAnswer"];
                };
            };
        };
    };
    issueCredential: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueCredentialBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueCredentialAnswer"];
                };
            };
        };
    };
    rotateCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateCredentialBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateCredentialAnswer"];
                };
            };
        };
    };
    listCredentials: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description Leaves out those that are revoked or expired. */
                active_only?: "true" | "false" | "1" | "0";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListCredentialsAnswer"];
                };
            };
        };
    };
    listCredentialAuditLogs: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListCredentialAuditLogsAnswer"];
                };
            };
        };
    };
    readCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadCredentialAnswer"];
                };
            };
        };
    };
    revokeCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeCredentialAnswer"];
                };
            };
        };
    };
    deleteCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteCredentialAnswer"];
                };
            };
        };
    };
    updateCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateCredentialBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateCredentialAnswer"];
                };
            };
        };
    };
    updateCredentialQuota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateCredentialQuotaBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateCredentialQuotaAnswer"];
                };
            };
        };
    };
    readSpendingPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadSpendingPolicyAnswer"];
                };
            };
        };
    };
    setSpendingPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetSpendingPolicyBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetSpendingPolicyAnswer"];
                };
            };
        };
    };
    issueProviderSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueProviderSecretBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueProviderSecretAnswer"];
                };
            };
        };
    };
    deleteProviderSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteProviderSecretAnswer"];
                };
            };
        };
    };
    listProviderSecrets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListProviderSecretsAnswer"];
                };
            };
        };
    };
    listProviderSecretAuditLogs: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListProviderSecretAuditLogsAnswer"];
                };
            };
        };
    };
    readSigningSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadSigningSecretAnswer"];
                };
            };
        };
    };
    issueSigningSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueSigningSecretAnswer"];
                };
            };
        };
    };
    deleteSigningSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteSigningSecretAnswer"];
                };
            };
        };
    };
    rotateSigningSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSigningSecretBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateSigningSecretAnswer"];
                };
            };
        };
    };
    readChain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadChainAnswer"];
                };
            };
        };
    };
    openDeposit: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names this request, so that sending it again does nothing more. `Idempotency-Key` is taken, too.
                 * @example order-4711
                 */
                "X-Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenDepositBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenDepositAnswer"];
                };
            };
        };
    };
    confirmDeposit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ConfirmDepositBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmDepositAnswer"];
                };
            };
        };
    };
    listDeposits: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDepositsAnswer"];
                    "text/csv": string;
                };
            };
        };
    };
    draftService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DraftServiceBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftServiceAnswer"];
                };
            };
        };
    };
    readRegistrationGuide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadRegistrationGuideAnswer"];
                };
            };
        };
    };
    listServices: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListServicesAnswer"];
                };
            };
        };
    };
    registerService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterServiceBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisterServiceAnswer"];
                };
            };
        };
    };
    readService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadServiceAnswer"];
                };
            };
        };
    };
    updateService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateServiceBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateServiceAnswer"];
                };
            };
        };
    };
    deleteService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteServiceAnswer"];
                };
            };
        };
    };
    discoverServices: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description Free text. Words may be misspelt or cut short; wildcards have no meaning. */
                search_query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoverServicesAnswer"];
                };
            };
        };
    };
    searchServices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SearchServicesBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchServicesAnswer"];
                };
            };
        };
    };
    searchMarket: {
        parameters: {
            query?: {
                /** @description Free text. Words may be misspelt or cut short. */
                q?: string;
                /** @description A whole tag, in any case. */
                tag?: string;
                /** @description Paid by the call, or by the token. */
                kind?: "api" | "llm";
                /** @description Default: `best_match` with a text, `newest` without one. */
                sort?: "best_match" | "lowest_price" | "fastest" | "highest_reliability" | "newest";
                /** @description From 1. */
                page?: number;
                /** @description Most entries of a page. */
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchMarketAnswer"];
                };
            };
        };
    };
    listMarketTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMarketTagsAnswer"];
                };
            };
        };
    };
    readMarketService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadMarketServiceAnswer"];
                };
            };
        };
    };
    readMarketStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadMarketStatsAnswer"];
                };
            };
        };
    };
    readMarketHealth: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadMarketHealthAnswer"];
                };
            };
        };
    };
    listProviderServices: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListProviderServicesAnswer"];
                };
            };
        };
    };
    readHealthHistory: {
        parameters: {
            query?: {
                /** @description Newest records of each target that are told. */
                limitPerTarget?: number;
                /** @description How far back. */
                hours?: number;
            };
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadHealthHistoryAnswer"];
                };
            };
        };
    };
    pingService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PingServiceAnswer"];
                };
            };
        };
    };
    readProviderServiceHealth: {
        parameters: {
            query?: {
                /** @description Newest records of each target that are told. */
                limitPerTarget?: number;
                /** @description How far back. */
                hours?: number;
            };
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadProviderServiceHealthAnswer"];
                };
            };
        };
    };
    invokeService: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names this request, so that sending it again does nothing more. `Idempotency-Key` is taken, too.
                 * @example order-4711
                 */
                "X-Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvokeServiceBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvokeServiceAnswer"];
                    "text/event-stream": string;
                };
            };
        };
    };
    readInvocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadInvocationAnswer"];
                };
            };
        };
    };
    listUsage: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description Only calls of this credential. */
                credentialId?: string;
                /** @description Only calls of this service: an id or an agentToolName. */
                serviceId?: string;
                /** @description Only calls that stand there. */
                status?: "PENDING" | "PROCESSING" | "SUCCEEDED" | "FAILED_RETRYABLE" | "FAILED_FINAL";
                /** @description Only calls from this time on. */
                from?: string;
                /** @description Only calls before this time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUsageAnswer"];
                    "text/csv": string;
                };
            };
        };
    };
    readSpending: {
        parameters: {
            query?: {
                /** @description UTC days to sum up, today among them. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadSpendingAnswer"];
                };
            };
        };
    };
    listProviderInvocations: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description Only calls of this service: an id or an agentToolName. */
                serviceId?: string;
                /** @description Only calls that stand there. */
                status?: "PENDING" | "PROCESSING" | "SUCCEEDED" | "FAILED_RETRYABLE" | "FAILED_FINAL";
                /** @description Only calls from this time on. */
                from?: string;
                /** @description Only calls before this time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListProviderInvocationsAnswer"];
                };
            };
        };
    };
    reportUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportUsageBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportUsageAnswer"];
                };
            };
        };
    };
    openWithdrawal: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Names this request, so that sending it again does nothing more. `Idempotency-Key` is taken, too.
                 * @example order-4711
                 */
                "X-Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenWithdrawalBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenWithdrawalAnswer"];
                };
            };
        };
    };
    completeWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a withdrawal. */
                withdrawalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteWithdrawalBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompleteWithdrawalAnswer"];
                };
            };
        };
    };
    listWithdrawals: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWithdrawalsAnswer"];
                    "text/csv": string;
                };
            };
        };
    };
    readWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a withdrawal. */
                withdrawalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadWithdrawalAnswer"];
                };
            };
        };
    };
    readWithdrawalCapability: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadWithdrawalCapabilityAnswer"];
                };
            };
        };
    };
    readEarnings: {
        parameters: {
            query?: {
                /** @description First UTC day that counts in byService and byDay. */
                from?: string;
                /** @description Last UTC day that counts; today when it is absent. */
                to?: string;
                /** @description Of which of the two the table is, with `Accept: text/csv`. */
                by?: "day" | "service";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadEarningsAnswer"];
                    "text/csv": string;
                };
            };
        };
    };
    redeemVoucher: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names this request, so that sending it again does nothing more. `Idempotency-Key` is taken, too.
                 * @example order-4711
                 */
                "X-Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeemVoucherBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedeemVoucherAnswer"];
                };
            };
        };
    };
    submitFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitFeedbackBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmitFeedbackAnswer"];
                };
            };
        };
    };
    listTopics: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Most entries of a page. */
                pageSize?: number;
                /** @description Only those of this category. */
                category?: "general" | "providers" | "agents" | "announcements" | "support";
                /** @description Text to look for. */
                q?: string;
                /** @description What comes first. */
                sort?: "latest" | "top";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTopicsAnswer"];
                };
            };
        };
    };
    createTopic: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTopicBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateTopicAnswer"];
                };
            };
        };
    };
    readTopic: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of a topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadTopicAnswer"];
                };
            };
        };
    };
    createReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateReplyBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateReplyAnswer"];
                };
            };
        };
    };
    voteTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoteTopicAnswer"];
                };
            };
        };
    };
    unvoteTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnvoteTopicAnswer"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhooksAnswer"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateWebhookAnswer"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteWebhookAnswer"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateWebhookAnswer"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecretBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateWebhookSecretAnswer"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description Only those in this state. */
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookDeliveriesAnswer"];
                };
            };
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
                /** @description Identifier of a delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayWebhookDeliveryAnswer"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier, as the answer that made it told it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestWebhookAnswer"];
                };
            };
        };
    };
    listAllWithdrawals: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description Only those in this state. */
                status?: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAllWithdrawalsAnswer"];
                };
            };
        };
    };
    approveWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a withdrawal. */
                withdrawalId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApproveWithdrawalBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApproveWithdrawalAnswer"];
                };
            };
        };
    };
    rejectWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a withdrawal. */
                withdrawalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RejectWithdrawalBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectWithdrawalAnswer"];
                };
            };
        };
    };
    suspendService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SuspendServiceBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuspendServiceAnswer"];
                };
            };
        };
    };
    suspendWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 0x wallet address, in any case. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SuspendWalletBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuspendWalletAnswer"];
                };
            };
        };
    };
    resumeService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; a former name leads to the service for 30 days, the last three of them. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeServiceBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResumeServiceAnswer"];
                };
            };
        };
    };
    resumeWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A 0x wallet address, in any case. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeWalletBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResumeWalletAnswer"];
                };
            };
        };
    };
    reconcileNow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReconcileNowBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReconcileNowAnswer"];
                };
            };
        };
    };
    listAdminActs: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description Acts of this admin only. */
                actor?: string;
                /** @description Acts on this record only: its id, or the address of a wallet. */
                target?: string;
                /** @description Acts of this kind only. */
                action?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAdminActsAnswer"];
                };
            };
        };
    };
    listChainFindings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListChainFindingsAnswer"];
                };
            };
        };
    };
    adoptRedemption: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a finding. */
                findingId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdoptRedemptionBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdoptRedemptionAnswer"];
                };
            };
        };
    };
    reverseDeposit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a finding. */
                findingId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReverseDepositBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReverseDepositAnswer"];
                };
            };
        };
    };
    withdrawFees: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Names this request, so that sending it again does nothing more. `Idempotency-Key` is taken, too.
                 * @example order-4711
                 */
                "X-Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawFeesBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WithdrawFeesAnswer"];
                };
            };
        };
    };
    listSupportTasks: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description Only those in this state. */
                status?: "open" | "closed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSupportTasksAnswer"];
                };
            };
        };
    };
    closeSupportTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a support task. */
                taskId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CloseSupportTaskBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CloseSupportTaskAnswer"];
                };
            };
        };
    };
    pinTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PinTopicAnswer"];
                };
            };
        };
    };
    unpinTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnpinTopicAnswer"];
                };
            };
        };
    };
    lockTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LockTopicAnswer"];
                };
            };
        };
    };
    unlockTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnlockTopicAnswer"];
                };
            };
        };
    };
    removeTopic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a topic. */
                topicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoveTopicAnswer"];
                };
            };
        };
    };
    removeReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a reply. */
                replyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoveReplyAnswer"];
                };
            };
        };
    };
    listVouchers: {
        parameters: {
            query?: {
                /** @description Most entries of a page. What is out of range is taken as the nearest that is not. */
                limit?: number;
                /** @description `nextCursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description Only those in this state. */
                status?: "active" | "used_up" | "expired";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListVouchersAnswer"];
                };
            };
        };
    };
    createVouchers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateVouchersBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateVouchersAnswer"];
                };
            };
        };
    };
    createChatCompletion: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names this request, so that sending it again does nothing more. `Idempotency-Key` is taken, too.
                 * @example order-4711
                 */
                "X-Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateChatCompletionBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateChatCompletionAnswer"];
                    "text/event-stream": string;
                };
            };
        };
    };
    createResponse: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names this request, so that sending it again does nothing more. `Idempotency-Key` is taken, too.
                 * @example order-4711
                 */
                "X-Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateResponseBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateResponseAnswer"];
                    "text/event-stream": string;
                };
            };
        };
    };
    createMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names this request, so that sending it again does nothing more. `Idempotency-Key` is taken, too.
                 * @example order-4711
                 */
                "X-Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMessageBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateMessageAnswer"];
                    "text/event-stream": string;
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: {
                /** @description Models of a page, in Anthropic's shape only. */
                limit?: number;
                /** @description Only models after this one. */
                after_id?: string;
                /** @description Only models before this one. */
                before_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListModelsAnswer"];
                };
            };
        };
    };
    readModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An agentToolName or a service id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadModelAnswer"];
                };
            };
        };
    };
    onDepositCredited: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "deposit.credited",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "data": {
                 *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "amountUsdc": "0.050000",
                 *         "chainId": 31337,
                 *         "txHash": "0x9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f",
                 *         "eventKey": "31337:0x9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f:0"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OnDepositCreditedPayload"];
            };
        };
        responses: {
            /** @description Received. Anything else, and silence, has the event sent again later. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onBalanceLow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "balance.low",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "data": {
                 *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "balanceUsdc": "0.050000",
                 *         "availableUsdc": "0.050000",
                 *         "heldUsdc": "0.050000",
                 *         "thresholdUsdc": "0.050000"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OnBalanceLowPayload"];
            };
        };
        responses: {
            /** @description Received. Anything else, and silence, has the event sent again later. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCredentialExhausted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "credential.exhausted",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "data": {
                 *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "credentialId": "cred_01kahd5w3xqv7m2c9z4n8r6t0e",
                 *         "limit": "credential_calls",
                 *         "callsUsed": 1,
                 *         "maxCalls": 1,
                 *         "spentUsdc": "0.050000",
                 *         "heldUsdc": "0.050000",
                 *         "creditLimit": "0.050000",
                 *         "remainingUsdc": "0.050000",
                 *         "resetInterval": "hourly",
                 *         "intervalStart": "2026-11-21T09:30:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OnCredentialExhaustedPayload"];
            };
        };
        responses: {
            /** @description Received. Anything else, and silence, has the event sent again later. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvocationFailed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "invocation.failed",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "data": {
                 *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "invocationId": "inv_01kahd5w3xqv7m2c9z4n8r6t0e",
                 *         "credentialId": "cred_01kahd5w3xqv7m2c9z4n8r6t0e",
                 *         "serviceId": "svc_01kahd5w3xqv7m2c9z4n8r6t0e",
                 *         "status": "FAILED_RETRYABLE",
                 *         "errorCode": "123456",
                 *         "attempts": 1,
                 *         "latencyMs": 1
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OnInvocationFailedPayload"];
            };
        };
        responses: {
            /** @description Received. Anything else, and silence, has the event sent again later. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onServiceDown: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "service.down",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "data": {
                 *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "serviceId": "svc_01kahd5w3xqv7m2c9z4n8r6t0e",
                 *         "serviceName": "Weather now",
                 *         "agentToolName": "weather-now",
                 *         "healthyTargets": 1,
                 *         "totalTargets": 1
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OnServiceDownPayload"];
            };
        };
        responses: {
            /** @description Received. Anything else, and silence, has the event sent again later. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onServiceUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "service.up",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "data": {
                 *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "serviceId": "svc_01kahd5w3xqv7m2c9z4n8r6t0e",
                 *         "serviceName": "Weather now",
                 *         "agentToolName": "weather-now",
                 *         "healthyTargets": 1,
                 *         "totalTargets": 1
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OnServiceUpPayload"];
            };
        };
        responses: {
            /** @description Received. Anything else, and silence, has the event sent again later. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWithdrawalUpdated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "withdrawal.updated",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "data": {
                 *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "withdrawalId": "wd_01kahd5w3xqv7m2c9z4n8r6t0e",
                 *         "amountUsdc": "0.050000",
                 *         "status": "PENDING_REVIEW",
                 *         "previousStatus": "PENDING_REVIEW",
                 *         "txHash": "0x9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f",
                 *         "reason": "As agreed with the owner."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OnWithdrawalUpdatedPayload"];
            };
        };
        responses: {
            /** @description Received. Anything else, and silence, has the event sent again later. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}

/** Where each operation is, and whether it takes an idempotency key. */
export const operationPlaces = {
  adoptRedemption: { method: 'POST', path: '/api/v1/admin/findings/{findingId}/adopt' },
  approveWithdrawal: { method: 'POST', path: '/api/v1/admin/withdrawals/{withdrawalId}/approve' },
  callMcp: { method: 'POST', path: '/mcp' },
  closeSupportTask: { method: 'POST', path: '/api/v1/admin/support-tasks/{taskId}/close' },
  completeWithdrawal: { method: 'POST', path: '/api/v1/providers/withdrawals/{withdrawalId}/complete' },
  confirmDeposit: { method: 'POST', path: '/api/v1/balance/deposit/intents/{id}/confirm' },
  createChatCompletion: { method: 'POST', path: '/v1/chat/completions', key: true },
  createMessage: { method: 'POST', path: '/v1/messages', key: true },
  createReply: { method: 'POST', path: '/api/v1/forum/topics/{topicId}/replies' },
  createResponse: { method: 'POST', path: '/v1/responses', key: true },
  createTopic: { method: 'POST', path: '/api/v1/forum/topics' },
  createVouchers: { method: 'POST', path: '/api/v1/admin/vouchers' },
  createWebhook: { method: 'POST', path: '/api/v1/webhooks' },
  deleteCredential: { method: 'DELETE', path: '/api/v1/credentials/agent/{id}' },
  deleteProviderSecret: { method: 'DELETE', path: '/api/v1/secrets/provider/{id}' },
  deleteService: { method: 'DELETE', path: '/api/v1/services/{id}' },
  deleteSigningSecret: { method: 'DELETE', path: '/api/v1/secrets/signing' },
  deleteWebhook: { method: 'DELETE', path: '/api/v1/webhooks/{id}' },
  discoverServices: { method: 'GET', path: '/api/v1/services/discover' },
  draftService: { method: 'POST', path: '/api/v1/services/parse-curl' },
  invokeService: { method: 'POST', path: '/api/v1/agent/invoke', key: true },
  issueChallenge: { method: 'GET', path: '/api/v1/auth/challenge' },
  issueCredential: { method: 'POST', path: '/api/v1/credentials/agent/issue' },
  issueProfileChallenge: { method: 'POST', path: '/api/v1/auth/me/profile/challenge' },
  issueProviderSecret: { method: 'POST', path: '/api/v1/secrets/provider/issue' },
  issueSigningSecret: { method: 'POST', path: '/api/v1/secrets/signing' },
  listAdminActs: { method: 'GET', path: '/api/v1/admin/audit-log' },
  listAllWithdrawals: { method: 'GET', path: '/api/v1/admin/withdrawals' },
  listChainFindings: { method: 'GET', path: '/api/v1/admin/findings' },
  listCredentialAuditLogs: { method: 'GET', path: '/api/v1/credentials/agent/audit-logs' },
  listCredentials: { method: 'GET', path: '/api/v1/credentials/agent/list' },
  listDeposits: { method: 'GET', path: '/api/v1/balance/deposits' },
  listLedgerEntries: { method: 'GET', path: '/api/v1/balance/ledger' },
  listMarketTags: { method: 'GET', path: '/api/v1/market/tags' },
  listModels: { method: 'GET', path: '/v1/models' },
  listProviderInvocations: { method: 'GET', path: '/api/v1/provider/invocations' },
  listProviderSecretAuditLogs: { method: 'GET', path: '/api/v1/secrets/provider/audit-logs' },
  listProviderSecrets: { method: 'GET', path: '/api/v1/secrets/provider/list' },
  listProviderServices: { method: 'GET', path: '/api/v1/provider/services' },
  listSeals: { method: 'GET', path: '/api/v1/proof/seals' },
  listServices: { method: 'GET', path: '/api/v1/services' },
  listSigningKeys: { method: 'GET', path: '/.well-known/http-message-signatures-directory' },
  listSupportTasks: { method: 'GET', path: '/api/v1/admin/support-tasks' },
  listTopics: { method: 'GET', path: '/api/v1/forum/topics' },
  listUsage: { method: 'GET', path: '/api/v1/usage/logs' },
  listVouchers: { method: 'GET', path: '/api/v1/admin/vouchers' },
  listWebhookDeliveries: { method: 'GET', path: '/api/v1/webhooks/{id}/deliveries' },
  listWebhooks: { method: 'GET', path: '/api/v1/webhooks' },
  listWithdrawals: { method: 'GET', path: '/api/v1/providers/withdrawals' },
  lockTopic: { method: 'POST', path: '/api/v1/admin/forum/topics/{topicId}/lock' },
  logout: { method: 'POST', path: '/api/v1/auth/logout' },
  openDeposit: { method: 'POST', path: '/api/v1/balance/deposit/intent', key: true },
  openWithdrawal: { method: 'POST', path: '/api/v1/providers/withdrawals/intent', key: true },
  pinTopic: { method: 'POST', path: '/api/v1/admin/forum/topics/{topicId}/pin' },
  pingService: { method: 'POST', path: '/api/v1/services/{id}/ping' },
  readBalance: { method: 'GET', path: '/api/v1/balance' },
  readChain: { method: 'GET', path: '/api/v1/chain' },
  readContract: { method: 'GET', path: '/openapi.json' },
  readCredential: { method: 'GET', path: '/api/v1/credentials/agent/{id}/status' },
  readEarnings: { method: 'GET', path: '/api/v1/providers/earnings/summary' },
  readHealthHistory: { method: 'GET', path: '/api/v1/services/{id}/health/history' },
  readInclusion: { method: 'GET', path: '/api/v1/proof/inclusion' },
  readInvocation: { method: 'GET', path: '/api/v1/agent/invocations/{id}' },
  readLiveness: { method: 'GET', path: '/health' },
  readMarketHealth: { method: 'GET', path: '/api/v1/market/services/{id}/health' },
  readMarketService: { method: 'GET', path: '/api/v1/market/services/{id}' },
  readMarketStats: { method: 'GET', path: '/api/v1/market/stats' },
  readMetrics: { method: 'GET', path: '/metrics' },
  readModel: { method: 'GET', path: '/v1/models/{id}' },
  readProfile: { method: 'GET', path: '/api/v1/auth/me' },
  readProviderServiceHealth: { method: 'GET', path: '/api/v1/provider/services/{id}/health' },
  readReadiness: { method: 'GET', path: '/ready' },
  readReference: { method: 'GET', path: '/docs' },
  readRegistrationGuide: { method: 'GET', path: '/api/v1/services/registration-guide' },
  readRegistry: { method: 'GET', path: '/marketplace/registry.json' },
  readReserves: { method: 'GET', path: '/api/v1/proof/reserves' },
  readService: { method: 'GET', path: '/api/v1/services/{id}' },
  readSigningSecret: { method: 'GET', path: '/api/v1/secrets/signing' },
  readSpending: { method: 'GET', path: '/api/v1/usage/summary' },
  readSpendingPolicy: { method: 'GET', path: '/api/v1/balance/spending-limit' },
  readTopic: { method: 'GET', path: '/api/v1/forum/topics/{topicId}' },
  readWithdrawal: { method: 'GET', path: '/api/v1/providers/withdrawals/{withdrawalId}' },
  readWithdrawalCapability: { method: 'GET', path: '/api/v1/providers/withdrawals/capability' },
  reconcileNow: { method: 'POST', path: '/api/v1/admin/reconcile' },
  redeemVoucher: { method: 'POST', path: '/api/v1/balance/vouchers/redeem', key: true },
  registerService: { method: 'POST', path: '/api/v1/services' },
  rejectWithdrawal: { method: 'POST', path: '/api/v1/admin/withdrawals/{withdrawalId}/reject' },
  removeReply: { method: 'DELETE', path: '/api/v1/admin/forum/replies/{replyId}' },
  removeTopic: { method: 'DELETE', path: '/api/v1/admin/forum/topics/{topicId}' },
  replayWebhookDelivery: { method: 'POST', path: '/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay' },
  reportUsage: { method: 'POST', path: '/api/v1/provider/invocations/{id}/usage' },
  resendEmailCode: { method: 'POST', path: '/api/v1/auth/email/resend-code' },
  resumeService: { method: 'POST', path: '/api/v1/admin/services/{id}/resume' },
  resumeWallet: { method: 'POST', path: '/api/v1/admin/wallets/{address}/resume' },
  reverseDeposit: { method: 'POST', path: '/api/v1/admin/findings/{findingId}/reverse' },
  revokeCredential: { method: 'POST', path: '/api/v1/credentials/agent/{id}/revoke' },
  rotateCredential: { method: 'POST', path: '/api/v1/credentials/agent/{id}/rotate' },
  rotateSigningSecret: { method: 'POST', path: '/api/v1/secrets/signing/rotate' },
  rotateWebhookSecret: { method: 'POST', path: '/api/v1/webhooks/{id}/rotate' },
  searchMarket: { method: 'GET', path: '/api/v1/market/services' },
  searchServices: { method: 'POST', path: '/api/v1/agent/discovery/search' },
  setSpendingPolicy: { method: 'PUT', path: '/api/v1/balance/spending-limit' },
  submitFeedback: { method: 'POST', path: '/api/v1/feedback' },
  suspendService: { method: 'POST', path: '/api/v1/admin/services/{id}/suspend' },
  suspendWallet: { method: 'POST', path: '/api/v1/admin/wallets/{address}/suspend' },
  testWebhook: { method: 'POST', path: '/api/v1/webhooks/{id}/test' },
  unlockTopic: { method: 'POST', path: '/api/v1/admin/forum/topics/{topicId}/unlock' },
  unpinTopic: { method: 'POST', path: '/api/v1/admin/forum/topics/{topicId}/unpin' },
  unvoteTopic: { method: 'DELETE', path: '/api/v1/forum/topics/{topicId}/vote' },
  updateCredential: { method: 'PATCH', path: '/api/v1/credentials/agent/{id}' },
  updateCredentialQuota: { method: 'PATCH', path: '/api/v1/credentials/agent/{id}/quota' },
  updateProfile: { method: 'PUT', path: '/api/v1/auth/me/profile' },
  updateService: { method: 'PUT', path: '/api/v1/services/{id}' },
  updateWebhook: { method: 'PATCH', path: '/api/v1/webhooks/{id}' },
  verifyChallenge: { method: 'POST', path: '/api/v1/auth/verify' },
  verifyEmailCode: { method: 'POST', path: '/api/v1/auth/email/verify-code' },
  voteTopic: { method: 'POST', path: '/api/v1/forum/topics/{topicId}/vote' },
  withdrawFees: { method: 'POST', path: '/api/v1/admin/fees/withdraw', key: true },
} as const satisfies Partial<Record<keyof operations, { method: string; path: string; key?: true }>>
