/**
 * Types of every operation, and where each one is. Made of apps/gateway/openapi.json by `npm run contract`.
 */
export interface components {
    schemas: {
        AdoptRedemptionAnswer: {
            /** @constant */
            status: "success";
            finding: {
                findingId: string;
                /** @enum {string} */
                kind: "unexplained-redemption" | "redemption-reorganised" | "deposit-reorganised" | "deposit-count" | "ticket-signer" | "database-restored";
                /** @description Subject: `txHash:logIndex` of an event, or the address of the vault. */
                subject: string;
                /** @description Hashes, nonces, wallets, amounts and heights of the disagreement. */
                detail: {
                    [key: string]: string;
                };
                /** @description Acts by which an admin can settle it; empty if it closes automatically once its cause is gone. */
                acts: ("adopt" | "reverse")[];
                /** Format: date-time */
                foundAt: string;
                /** Format: date-time */
                resolvedAt: string | null;
                /** @description Null while it is open; `gone` when chain and books agree again, otherwise the act. */
                resolution: string | null;
            };
            /** @description Charged to the wallet. */
            chargedUsdc: string;
            /** @description Borne by the platform. */
            borneUsdc: string;
        };
        AdoptRedemptionBody: {
            /**
             * @description Stored in the audit log.
             * @example Paid after the time of the restored backup.
             */
            reason: string;
            /**
             * @description `recipient`: charged up to its earnings; the platform bears the rest. `platform`: the platform bears all.
             * @enum {string}
             */
            chargeTo: "recipient" | "platform";
        };
        /** @description Any JSON. */
        AnyJson: unknown;
        ApiServiceSummary: {
            serviceId: string;
            serviceName: string;
            /** @description Unique; accepted wherever a service id is. */
            agentToolName: string;
            summary: string;
            description: string;
            tags: string[];
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            isActive: boolean;
            /** @description Whether a call would find a healthy target now. */
            runtimeAvailable: boolean;
            /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
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
            /** @description After a raise: callers who send no price (MCP) pay `amountUntilThen` until `effectiveAt`, then `amount`. `costUsdc` must always be `pricing.amount`. */
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
                /** @description Alias of withdrawalId. */
                intentId: string;
                amountUsdc: string;
                /** @description Part that was earned from vouchers. If positive, the withdrawal needs a review. */
                promotionalUsdc: string;
                /**
                 * @description Earnings of its wallet, or platform fees that an admin pays out.
                 * @enum {string}
                 */
                source: "earnings" | "fees";
                /** @enum {string} */
                status: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @enum {string} */
                statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @description Null unless it can be redeemed. */
                ticket: components["schemas"]["WithdrawalTicket"] | null;
                /** @description Transaction that redeemed it. */
                txHash: string | null;
                /** @description Reason given by its reviewer. */
                reason: string | null;
                /** @description Why no ticket was issued when it was opened; empty if one was. */
                reviewCauses: ("vouchers" | "wallet_limit" | "total_limit" | "vault_illiquid" | "tickets_stopped")[];
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
                ownerAddress: string;
                /** @description The admin who opened a withdrawal of fees. */
                openedBy: string | null;
            };
        };
        ApproveWithdrawalBody: {
            reason?: string | null;
        } | null;
        AuthorizeClientAnswer: {
            /** @constant */
            status: "success";
            /**
             * Format: uri
             * @description Redirect URL with the code, for the browser.
             */
            redirectTo: string;
            credentialId: string;
        };
        AuthorizeClientBody: {
            request: {
                /** @description `code`. */
                response_type?: string;
                /** @description As registered. */
                client_id?: string;
                /** @description Redirect URI that the client registered. */
                redirect_uri?: string;
                /** @description SHA-256 of the verifier, base64url (RFC 7636). */
                code_challenge?: string;
                /** @description `S256`. */
                code_challenge_method?: string;
                /** @description Passed back to the client. */
                state?: string;
                /** @description URL of `/mcp` or of the gateway (RFC 8707); absent: `/mcp`. */
                resource?: string;
                /** @description Ignored: there is one scope. */
                scope?: string;
            };
            credential: {
                name?: string | null;
                /**
                 * Format: int64
                 * @description Cap on calls over its lifetime.
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
                /** @description Alias of `expiresAt`. */
                expiration?: (string | number) | null;
                allowedServices?: string[] | null;
            };
        };
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
             * @description The reported tokens cost more than the hold, or exceed what the call can have used; the charge was capped.
             * @constant
             */
            capped?: true;
        };
        BookCheck: {
            /** Format: date-time */
            at: string;
            /**
             * Format: int64
             * @description Number of checks in this interval.
             */
            checks: number;
            consistent: boolean;
            /** @description In the vault, by the chain; null if the chain was unreachable. */
            vaultBalanceUsdc: string | null;
            /** @description What the books demanded of the vault at the same block. */
            demandedUsdc: string | null;
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
            /** @description Id of the request. */
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
                /** @description The gateway's error body, if the error is its own. */
                data?: unknown;
            };
        }) | ({
            /** @constant */
            jsonrpc: "2.0";
            /** @description Id of the request. */
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
                /** @description The gateway's error body, if the error is its own. */
                data?: unknown;
            };
        })[];
        CallMcpBody: ({
            /** @constant */
            jsonrpc: "2.0";
            /** @description Id of the request. */
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
            /** @description Id of the request. */
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
                /** @description The gateway's error body, if the error is its own. */
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
        CallPaidResourceAnswer: unknown;
        CallPaidResourceBody: {
            [key: string]: unknown;
        };
        CallPaidResourceError: {
            /** @enum {string} */
            code: "PAYMENT_REQUIRED" | "INVALID_PAYLOAD" | "SERVICE_NOT_FOUND" | "SERVICE_NOT_ALLOWED" | "RATE_LIMITED" | "PRICE_MISMATCH" | "LIMIT_EXCEEDED" | "LLM_AUTO_HOLD_LIMIT_EXCEEDED" | "BUDGET_EXHAUSTED" | "WALLET_SUSPENDED" | "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS" | "UPSTREAM_ERROR" | "GATEWAY_INTERRUPTED" | "LOOP_DETECTED" | "INVALID_REQUEST" | "NOT_FOUND" | "INTERNAL" | "UNAVAILABLE" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "PAYMENT_REQUIRED" | "INVALID_PAYLOAD" | "SERVICE_NOT_FOUND" | "SERVICE_NOT_ALLOWED" | "RATE_LIMITED" | "PRICE_MISMATCH" | "LIMIT_EXCEEDED" | "LLM_AUTO_HOLD_LIMIT_EXCEEDED" | "BUDGET_EXHAUSTED" | "WALLET_SUSPENDED" | "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS" | "UPSTREAM_ERROR" | "GATEWAY_INTERRUPTED" | "LOOP_DETECTED" | "INVALID_REQUEST" | "NOT_FOUND" | "INTERNAL" | "UNAVAILABLE" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE";
                message: string;
            } & {
                [key: string]: unknown;
            };
            /** @constant */
            x402Version?: 1;
            error?: string;
            accepts?: {
                /** @constant */
                scheme: "exact";
                network: string;
                maxAmountRequired: string;
                resource: string;
                description: string;
                mimeType: string;
                payTo: string;
                /** Format: int64 */
                maxTimeoutSeconds: number;
                asset: string;
                extra: {
                    name: string;
                    version: string;
                };
            }[];
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
                /** @description Other members of the report: feedbackId, source, route, context. */
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
            /** @description Alias of withdrawalId. */
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
            /** @description Id of the intent. */
            intentId: string;
            intent: components["schemas"]["DepositIntent"];
        };
        /** @description Optional hints of older clients; the chain alone decides. */
        ConfirmDepositBody: ({
            eventKey?: string;
            /** Format: int32 */
            confirmations?: number;
        } & {
            [key: string]: unknown;
        }) | null;
        CountMessageTokensAnswer: {
            /** Format: int64 */
            input_tokens: number;
            /** @description True if the gateway counted, by the bytes of the request. */
            estimated?: boolean;
        } & {
            [key: string]: unknown;
        };
        CountMessageTokensBody: {
            model: string;
            stream?: boolean | null;
            messages: unknown[];
        } & {
            [key: string]: unknown;
        };
        CountMessageTokensError: {
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
        /** @description The provider's chat completion, unchanged. */
        CreateChatCompletionAnswer: {
            [key: string]: unknown;
        };
        CreateChatCompletionBody: {
            /** @description Required without `models`; tried before them. */
            model?: string | null;
            /** @description Tried in order until one answers; 5 at most, with `model`. */
            models?: string[] | null;
            /** @description Tries the services of the `modelFamily` of `model`, the best 5 by `sort`. */
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
        /** @description A completion of the provider, as it came. */
        CreateCompletionAnswer: {
            [key: string]: unknown;
        };
        CreateCompletionBody: {
            /** @description Required without `models`; tried before them. */
            model?: string | null;
            /** @description Tried in order until one answers; 5 at most, with `model`. */
            models?: string[] | null;
            /** @description Tries the services of the `modelFamily` of `model`, the best 5 by `sort`. */
            provider?: {
                /** @enum {string} */
                sort: "price" | "latency" | "throughput";
            } | null;
            stream?: boolean | null;
            prompt: string | unknown[];
            stream_options?: ({
                include_usage?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        CreateCompletionError: {
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
        /** @description Embeddings of the provider, as they came. */
        CreateEmbeddingsAnswer: {
            [key: string]: unknown;
        };
        CreateEmbeddingsBody: {
            /** @description Required without `models`; tried before them. */
            model?: string | null;
            /** @description Tried in order until one answers; 5 at most, with `model`. */
            models?: string[] | null;
            /** @description Tries the services of the `modelFamily` of `model`, the best 5 by `sort`. */
            provider?: {
                /** @enum {string} */
                sort: "price" | "latency" | "throughput";
            } | null;
            stream?: boolean | null;
            input: string | unknown[];
        } & {
            [key: string]: unknown;
        };
        CreateEmbeddingsError: {
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
        /** @description The provider's message, unchanged. */
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
                    /** @description Whether the author has registered a service. */
                    isProvider?: boolean;
                };
                body: string;
                /** Format: date-time */
                createdAt: string;
            };
        };
        CreateReplyBody: {
            body: string;
        };
        /** @description The provider's response, unchanged. */
        CreateResponseAnswer: {
            [key: string]: unknown;
        };
        CreateResponseBody: {
            /** @description Required without `models`; tried before them. */
            model?: string | null;
            /** @description Tried in order until one answers; 5 at most, with `model`. */
            models?: string[] | null;
            /** @description Tries the services of the `modelFamily` of `model`, the best 5 by `sort`. */
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
                    /** @description Whether the author has registered a service. */
                    isProvider?: boolean;
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
                /** @description Shared by vouchers that were created together. */
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
            /** @description Total value if all are redeemed. */
            totalUsdc: string;
            /** @description Part charged to the balance of the admin: what promotions did not cover yet. */
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
                events: ("deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
                /** @enum {string} */
                status: "active" | "disabled";
                /**
                 * @description `owner`: disabled by you. `gone`: the receiver answered 410. `failing`: no success for five days.
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
                 * @description Until then deliveries are also signed with the previous secret.
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
            /** @description Shown only once. Verify `webhook-signature` with it (Standard Webhooks). */
            secret: string;
        };
        CreateWebhookBody: {
            /** @description URL that receives a POST per event; on the public internet. */
            url: string;
            events: ("deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
        };
        Credential: {
            id: string;
            credential_id: string;
            name: string;
            /** Format: int64 */
            maxCalls: number | null;
            creditLimit: string | null;
            /** @description Maximum cost of one call; null: no cap. */
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
            /** @description Credited amount; until then the claimed one. */
            amountUsdc: string;
            /** @description Present if the claimed amount differs from the vault's event. */
            claimedAmountUsdc?: string;
            /** Format: int64 */
            confirmations: number;
            /** Format: int64 */
            requiredConfirmations: number;
            /**
             * @description Present if it was rejected.
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
            /** @description A body for `POST /services`, once a price is added. May contain secrets of its source. */
            manifest: {
                [key: string]: unknown;
            };
            /** @description What to review before registering; `path` in the manifest. */
            warnings: {
                path: string;
                message: string;
            }[];
            /** @description What was left out, and why. */
            unsupported: {
                option: string;
                message: string;
            }[];
        };
        DraftServiceBody: {
            /**
             * @description A curl command as typed into a shell. It is parsed, never run.
             * @example curl https://api.weather.example/v1/now -H 'X-Api-Key: 3f9c' --json '{"city":"Lisbon"}'
             */
            curlCommand: string;
        };
        DraftServicesFromOpenapiAnswer: {
            /** @constant */
            status: "success";
            title: string;
            operations: {
                /**
                 * @description Method and path.
                 * @example GET /pets/{id}
                 */
                operation: string;
                operationId: string | null;
                summary: string;
                isDeprecated: boolean;
                /** @description Why it cannot be drafted; null: it can. */
                problem: string | null;
            }[];
            /** @description One for each operation that was asked for, in that order. Nothing is registered. */
            drafts: {
                operation: string;
                /** @description A body for `POST /services`, once a price is added. May contain secrets of its source. */
                manifest: {
                    [key: string]: unknown;
                };
                /** @description What to review before registering; `path` in the manifest. */
                warnings: {
                    path: string;
                    message: string;
                }[];
                /** @description What was left out, and why. */
                unsupported: {
                    option: string;
                    message: string;
                }[];
            }[];
        };
        DraftServicesFromOpenapiBody: {
            /**
             * @description An OpenAPI 3.0 or 3.1 document as JSON or YAML text, in one file. Nothing is fetched.
             * @example {"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{}}
             */
            document: string;
            /**
             * @description Operations to draft, as the answer lists them. None: they are listed only.
             * @default []
             * @example []
             */
            operations?: string[];
            /** @description The server of the targets, instead of the first one of the document. */
            serverUrl?: string | null;
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
            /** @description Why the usage is pending; null if it is not. */
            processingReason: string | null;
            /**
             * Format: date-time
             * @description Deadline of the usage report.
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
        GetPaidResourceAnswer: unknown;
        GetPaidResourceError: {
            /** @enum {string} */
            code: "PAYMENT_REQUIRED" | "INVALID_PAYLOAD" | "SERVICE_NOT_FOUND" | "SERVICE_NOT_ALLOWED" | "RATE_LIMITED" | "PRICE_MISMATCH" | "LIMIT_EXCEEDED" | "LLM_AUTO_HOLD_LIMIT_EXCEEDED" | "BUDGET_EXHAUSTED" | "WALLET_SUSPENDED" | "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS" | "UPSTREAM_ERROR" | "GATEWAY_INTERRUPTED" | "LOOP_DETECTED" | "INVALID_REQUEST" | "NOT_FOUND" | "INTERNAL" | "UNAVAILABLE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "PAYMENT_REQUIRED" | "INVALID_PAYLOAD" | "SERVICE_NOT_FOUND" | "SERVICE_NOT_ALLOWED" | "RATE_LIMITED" | "PRICE_MISMATCH" | "LIMIT_EXCEEDED" | "LLM_AUTO_HOLD_LIMIT_EXCEEDED" | "BUDGET_EXHAUSTED" | "WALLET_SUSPENDED" | "IDEMPOTENCY_CONFLICT" | "IDEMPOTENCY_IN_PROGRESS" | "UPSTREAM_ERROR" | "GATEWAY_INTERRUPTED" | "LOOP_DETECTED" | "INVALID_REQUEST" | "NOT_FOUND" | "INTERNAL" | "UNAVAILABLE";
                message: string;
            } & {
                [key: string]: unknown;
            };
            /** @constant */
            x402Version?: 1;
            error?: string;
            accepts?: {
                /** @constant */
                scheme: "exact";
                network: string;
                maxAmountRequired: string;
                resource: string;
                description: string;
                mimeType: string;
                payTo: string;
                /** Format: int64 */
                maxTimeoutSeconds: number;
                asset: string;
                extra: {
                    name: string;
                    version: string;
                };
            }[];
        };
        IdempotencyConflictError: {
            /** @enum {string} */
            code: "IDEMPOTENCY_CONFLICT";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "IDEMPOTENCY_CONFLICT";
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
             * @description Present when the result is no longer stored: `result` and `receipt.responseHash` are null.
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
                 * @description Number of targets tried.
                 */
                attempts: number;
                requestHash: string;
                responseHash: string | null;
                /** @description LLM services: the tokens, once known. */
                usage?: components["schemas"]["TokenUsage"];
                /** @description How the result violates the service's own schema; absent if it fits. */
                responseIssues?: {
                    path: string;
                    message: string;
                }[];
            };
            /** @description The provider's JSON, or `{value}` around a bare array or scalar, or `{contentType, text}` or `{contentType, base64}` of another type; null if it was streamed or is no longer stored. */
            result: Record<string, unknown> | null;
        };
        InvokeServiceBody: {
            /**
             * @description A service id or an agentToolName.
             * @example weather
             */
            serviceId: string;
            /**
             * @description Unique per credential. A repeated call with the same key is charged once.
             * @example order-4711
             */
            idempotencyKey?: string | null;
            /**
             * @description Fixed-price services: the exact price that discovery shows.
             * @example 0.050000
             */
            costUsdc?: (string | number) | null;
            /**
             * @description Maximum cost of the call. LLM services: held instead of the automatic amount; may lower the output token limit. Below a fixed price: PRICE_MISMATCH.
             * @example 0.500000
             */
            maxCostUsdc?: (string | number) | null;
            /**
             * @description `sync` when absent.
             * @enum {string|null}
             */
            responseMode?: "sync" | "stream" | null;
            payload?: {
                /** @description Forwarded to the provider in the `encoding` of the service, a string if that is `text`. LLM services: the request to the model. */
                body?: ({
                    [key: string]: unknown;
                } | string) | null;
                /** @description Added to the query string of the provider's target. An array repeats its parameter. */
                query?: {
                    [key: string]: (string | number | boolean) | (string | number | boolean)[];
                } | null;
                /** @description Values for the placeholders in the path of the provider's target. */
                path?: {
                    [key: string]: string | number | boolean;
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
            /** @description Shown only once. Send it as `X-Credential`. */
            token: string;
            credentialId: string;
            credential: {
                id: string;
                credential_id: string;
                name: string;
                /** Format: int64 */
                maxCalls: number | null;
                creditLimit: string | null;
                /** @description Maximum cost of one call; null: no cap. */
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
                /** @description Shown only once. Send it as `X-Credential`. */
                token: string;
            };
        };
        IssueCredentialBody: {
            name?: string | null;
            /**
             * Format: int64
             * @description Cap on calls over its lifetime.
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
            /** @description Alias of `expiresAt`. */
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
                 * @description `expired`: past `expiresAt`, or all calls used.
                 * @enum {string}
                 */
                status: "active" | "expired" | "deleted";
                /** Format: int64 */
                callsUsed: number;
                /** @description Captured by late usage reports in the current reset interval. */
                capturedUsdc: string;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastUsedAt: string | null;
                /** @description Shown only once. Send it as `Authorization: Bearer psk_...`. */
                secretKey: string;
            };
        };
        IssueProviderSecretBody: {
            name?: string | null;
            /** Format: int32 */
            rpm?: number | null;
            /**
             * @description Cap on the amount that its usage reports may capture per reset interval, in USDC.
             * @example 25.00
             */
            creditLimit?: (string | number) | null;
            /** @enum {string|null} */
            resetInterval?: "hourly" | "daily" | "weekly" | "monthly" | "never" | null;
            /**
             * Format: int64
             * @description Cap on requests over its lifetime.
             */
            maxCalls?: number | null;
            /**
             * Format: int32
             * @description Seconds from now until it expires.
             */
            expiresInSec?: number | null;
            /** @description When it expires: ISO 8601 or Unix seconds. */
            expiresAt?: (string | number) | null;
            /** @description Alias of `expiresAt`. */
            expiration?: (string | number) | null;
        };
        IssueSigningSecretAnswer: {
            /** @constant */
            status: "success";
            signingSecret: components["schemas"]["SigningSecret"];
            /** @description Shown only once. The key of the HMAC is its 32 bytes, in Base64 after `sigsec_`. */
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
             * @description Last time at which the tree was current: no money had moved since it was built.
             */
            asOf: string;
            merkleRoot: string;
            /**
             * Format: int64
             * @description Leaves: one for each wallet with an account.
             */
            wallets: number;
            /** @description Sum at the root: the total owed to wallets. */
            walletsUsdc: string;
            consumerUsdc: string;
            providerUsdc: string;
            /** @description Fees and promotions, less losses; in no leaf. */
            platformUsdc: string;
            /** @description Part of `providerUsdc` that open tickets cover: the vault may have paid it. */
            lockedUsdc: string;
            /**
             * Format: int64
             * @description Block at which the vault was read; null if the chain was unreachable.
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
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListAlertsAnswer: {
            /** @constant */
            status: "success";
            alerts: ({
                id: string;
                /** Format: date-time */
                firedAt: string;
                isMailed: boolean;
                /** @constant */
                type: "budget.reached";
                data: {
                    walletAddress: string;
                    credentialId: string;
                    /** @enum {string} */
                    limit: "credential_calls" | "credential_credit";
                    percent: 80 | 100;
                    /** Format: int64 */
                    callsUsed: number;
                    /** Format: int64 */
                    maxCalls: number | null;
                    spentUsdc: string;
                    creditLimit: string | null;
                    /** @enum {string} */
                    resetInterval: "hourly" | "daily" | "weekly" | "monthly" | "never";
                    /** Format: date-time */
                    intervalStart: string;
                };
            } | {
                id: string;
                /** Format: date-time */
                firedAt: string;
                isMailed: boolean;
                /** @constant */
                type: "balance.low";
                data: {
                    walletAddress: string;
                    balanceUsdc: string;
                    availableUsdc: string;
                    heldUsdc: string;
                    thresholdUsdc: string;
                };
            } | {
                id: string;
                /** Format: date-time */
                firedAt: string;
                isMailed: boolean;
                /** @constant */
                type: "failure_rate.high";
                data: {
                    walletAddress: string;
                    /** Format: int64 */
                    calls: number;
                    /** Format: int64 */
                    failures: number;
                    /**
                     * Format: int32
                     * @description The limit.
                     */
                    percent: number;
                    /** Format: int64 */
                    minCalls: number;
                };
            })[];
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListAllWithdrawalsAnswer: {
            /** @constant */
            status: "success";
            withdrawals: {
                withdrawalId: string;
                /** @description Alias of withdrawalId. */
                intentId: string;
                amountUsdc: string;
                /** @description Part that was earned from vouchers. If positive, the withdrawal needs a review. */
                promotionalUsdc: string;
                /**
                 * @description Earnings of its wallet, or platform fees that an admin pays out.
                 * @enum {string}
                 */
                source: "earnings" | "fees";
                /** @enum {string} */
                status: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @enum {string} */
                statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @description Null unless it can be redeemed. */
                ticket: components["schemas"]["WithdrawalTicket"] | null;
                /** @description Transaction that redeemed it. */
                txHash: string | null;
                /** @description Reason given by its reviewer. */
                reason: string | null;
                /** @description Why no ticket was issued when it was opened; empty if one was. */
                reviewCauses: ("vouchers" | "wallet_limit" | "total_limit" | "vault_illiquid" | "tickets_stopped")[];
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
                ownerAddress: string;
                /** @description The admin who opened a withdrawal of fees. */
                openedBy: string | null;
                /** @description Of all withdrawals of this wallet. The first time if `paid` is 0. */
                walletHistory: {
                    /** Format: int64 */
                    paid: number;
                    paidUsdc: string;
                    /** Format: int64 */
                    rejected: number;
                    /** Format: date-time */
                    firstOpenedAt: string;
                };
            }[];
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListBookChecksAnswer: {
            /** @constant */
            status: "success";
            /** @description Oldest first. */
            checks: components["schemas"]["BookCheck"][];
        };
        ListChainFindingsAnswer: {
            /** @constant */
            status: "success";
            findings: {
                findingId: string;
                /** @enum {string} */
                kind: "unexplained-redemption" | "redemption-reorganised" | "deposit-reorganised" | "deposit-count" | "ticket-signer" | "database-restored";
                /** @description Subject: `txHash:logIndex` of an event, or the address of the vault. */
                subject: string;
                /** @description Hashes, nonces, wallets, amounts and heights of the disagreement. */
                detail: {
                    [key: string]: string;
                };
                /** @description Acts by which an admin can settle it; empty if it closes automatically once its cause is gone. */
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
                /** @description Null for acts on the spending policy. */
                credentialId: string | null;
                actor: string;
                /** Format: date-time */
                at: string;
                /** @description Details, such as `before` and `after` of a change, or the OAuth `client` that made it. */
                detail: {
                    [key: string]: unknown;
                };
            }[];
            /** @description `cursor` of the next page; null on the last. */
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
                /** @description Maximum cost of one call; null: no cap. */
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
                /** @description Spent in the current reset interval. */
                spentUsdc: string;
                /** @description Held for calls in flight. */
                heldUsdc: string;
            }[];
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListDepositsAnswer: {
            /** @constant */
            status: "success";
            deposits: components["schemas"]["DepositIntent"][];
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListLedgerEntriesAnswer: {
            /** @constant */
            status: "success";
            entries: components["schemas"]["LedgerEntry"][];
            /** @description `cursor` of the next page; null on the last. */
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
                name: string;
                description: string;
                /**
                 * Format: int32
                 * @description The manifest's `contextTokens`; null: not stated.
                 */
                context_length: number | null;
                architecture: {
                    /** @description The manifest's `inputModalities`; null: not stated. */
                    input_modalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
                    output_modalities: ("text" | "embeddings")[];
                };
                /** @description USD per token, exact decimals; `request` is per call. */
                pricing: {
                    prompt: string;
                    completion: string;
                    input_cache_read: string;
                    input_cache_write: string;
                    request: string;
                };
                id: string;
                /** @constant */
                object: "model";
                /** Format: int64 */
                created: number;
                owned_by: string;
            }[];
        } | {
            data: {
                name: string;
                description: string;
                /**
                 * Format: int32
                 * @description The manifest's `contextTokens`; null: not stated.
                 */
                context_length: number | null;
                architecture: {
                    /** @description The manifest's `inputModalities`; null: not stated. */
                    input_modalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
                    output_modalities: ("text" | "embeddings")[];
                };
                /** @description USD per token, exact decimals; `request` is per call. */
                pricing: {
                    prompt: string;
                    completion: string;
                    input_cache_read: string;
                    input_cache_write: string;
                    request: string;
                };
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
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListProviderSecretAuditLogsAnswer: {
            /** @constant */
            status: "success";
            logs: {
                id: string;
                /**
                 * @description `rotated`: signing secrets only.
                 * @enum {string}
                 */
                action: "issued" | "rotated" | "deleted";
                /** @description Of a provider secret, or key id of a signing secret. */
                secretId: string;
                actor: string;
                /** Format: date-time */
                at: string;
                detail: {
                    [key: string]: unknown;
                };
            }[];
            /** @description `cursor` of the next page; null on the last. */
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
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListSealsAnswer: {
            /** @constant */
            status: "success";
            seals: components["schemas"]["Seal"][];
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListServicesAnswer: {
            /** @constant */
            status: "success";
            services: components["schemas"]["Service"][];
            /** @description `cursor` of the next page; null on the last. */
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
                /** @description Other members of the report: feedbackId, source, route, context. */
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
            /** @description `cursor` of the next page; null on the last. */
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
                    /** @description Whether the author has registered a service. */
                    isProvider?: boolean;
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
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListVouchersAnswer: {
            /** @constant */
            status: "success";
            vouchers: {
                voucherId: string;
                /** @description Shared by vouchers that were created together. */
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
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListWebhookDeliveriesAnswer: {
            /** @constant */
            status: "success";
            deliveries: {
                id: string;
                /** @enum {string} */
                type: "deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                /** @enum {string} */
                status: "pending" | "delivered" | "failed";
                /** Format: int64 */
                attempts: number;
                /**
                 * Format: int32
                 * @description Status of the last response.
                 */
                responseStatus: number | null;
                /**
                 * @description Error of the last attempt.
                 * @enum {string|null}
                 */
                error: "status" | "timeout" | "connect" | "reset" | "redirect" | "blocked_address" | "too_large" | "encoding" | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastAttemptAt: string | null;
                /**
                 * Format: date-time
                 * @description Null unless it is pending and the webhook active.
                 */
                nextAttemptAt: string | null;
                payload: {
                    /** @enum {string} */
                    type: "deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                    /** Format: date-time */
                    timestamp: string;
                    /** @description See docs/webhooks.md for each type. */
                    data: {
                        [key: string]: components["schemas"]["AnyJson"];
                    };
                };
            }[];
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListWebhooksAnswer: {
            /** @constant */
            status: "success";
            webhooks: {
                id: string;
                url: string;
                events: ("deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
                /** @enum {string} */
                status: "active" | "disabled";
                /**
                 * @description `owner`: disabled by you. `gone`: the receiver answered 410. `failing`: no success for five days.
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
                 * @description Until then deliveries are also signed with the previous secret.
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
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ListX402KindsAnswer: {
            kinds: {
                /** Format: int64 */
                x402Version: number;
                /** @constant */
                scheme: "exact";
                network: string;
                extra: {
                    name: string;
                    version: string;
                };
            }[];
            extensions: string[];
            signers: {
                [key: string]: string[];
            };
        };
        LlmServiceSummary: {
            serviceId: string;
            serviceName: string;
            /** @description Unique; accepted wherever a service id is. */
            agentToolName: string;
            summary: string;
            description: string;
            tags: string[];
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            isActive: boolean;
            /** @description Whether a call would find a healthy target now. */
            runtimeAvailable: boolean;
            /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
            targetVerified: boolean;
            inputPricePer1MTokensUsdc: string;
            outputPricePer1MTokensUsdc: string;
            /** @description Price per million input tokens read from a cache; null: the input price. */
            cacheReadPricePer1M: string | null;
            /** @description Price per million input tokens written to a cache; null: the input price. */
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
             * @description Input tokens held for an image, a sound or a file in base64.
             */
            mediaTokens: number;
            /**
             * Format: int32
             * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
             */
            contextTokens: number | null;
            /** @enum {string} */
            llmDialect: "openai" | "anthropic";
            /**
             * @description `embeddings`: takes `input` at `POST /v1/embeddings` only; `chat`: any other model.
             * @enum {string}
             */
            modelKind: "chat" | "embeddings";
            /** @description Services of the same family offer the same model; null: it is of none. */
            modelFamily: string | null;
            /** @description What the model takes as input, as its provider states it; null: not stated. */
            inputModalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
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
                /** @description Price per million input tokens read from a cache; null: the input price. */
                cacheReadPricePer1M: string | null;
                /** @description Price per million input tokens written to a cache; null: the input price. */
                cacheWritePricePer1M: string | null;
                /** Format: int32 */
                defaultMaxOutputTokens: number;
                maxAutoHoldUsdc: string;
                holdBufferMultiplier: number;
                /**
                 * Format: int32
                 * @description Input tokens held for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
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
                    /** @description Whether the author has registered a service. */
                    isProvider?: boolean;
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
        OnBudgetReachedPayload: {
            /** @constant */
            type: "budget.reached";
            /** Format: date-time */
            timestamp: string;
            data: {
                walletAddress: string;
                credentialId: string;
                /** @enum {string} */
                limit: "credential_calls" | "credential_credit";
                percent: 80 | 100;
                /** Format: int64 */
                callsUsed: number;
                /** Format: int64 */
                maxCalls: number | null;
                spentUsdc: string;
                creditLimit: string | null;
                /** @enum {string} */
                resetInterval: "hourly" | "daily" | "weekly" | "monthly" | "never";
                /** Format: date-time */
                intervalStart: string;
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
        OnFailure_rateHighPayload: {
            /** @constant */
            type: "failure_rate.high";
            /** Format: date-time */
            timestamp: string;
            data: {
                walletAddress: string;
                /** Format: int64 */
                calls: number;
                /** Format: int64 */
                failures: number;
                /**
                 * Format: int32
                 * @description The limit.
                 */
                percent: number;
                /** Format: int64 */
                minCalls: number;
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
            /** @description Id of the intent. */
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
             * @description Claimed amount, in USDC. The amount on chain is credited.
             * @example 25
             */
            amount: string | number;
        };
        OpenWithdrawalAnswer: {
            /** @constant */
            status: "success";
            ownerAddress: string;
            withdrawalId: string;
            /** @description Alias of withdrawalId. */
            intentId: string;
            /** @enum {string} */
            statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            amountUsdc: string;
            /** @description While it can be redeemed; null while the withdrawal waits for a review. */
            ticket: components["schemas"]["WithdrawalTicket"] | null;
        };
        OpenWithdrawalBody: {
            /**
             * @description Amount to withdraw from the provider receivable.
             * @example 250.00
             */
            amountUsdc: string | number;
            /** @description Optional. Must be the wallet that earned them; another is INVALID_ADDRESS. */
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
                    /** @description Whether the author has registered a service. */
                    isProvider?: boolean;
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
                 * @description Status of the response; null if there was none.
                 */
                httpStatus: number | null;
                /**
                 * @description Why there was no response, or why it was not read to its end.
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
             * @description `expired`: past `expiresAt`, or all calls used.
             * @enum {string}
             */
            status: "active" | "expired" | "deleted";
            /** Format: int64 */
            callsUsed: number;
            /** @description Captured by late usage reports in the current reset interval. */
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
        ReadAlertSettingsAnswer: {
            /** @constant */
            status: "success";
            settings: {
                budgetPercents: (80 | 100)[];
                balanceBelowUsdc: string | null;
                failureRate: {
                    /**
                     * Format: int32
                     * @description Alert above this share of failed calls.
                     */
                    percent: number;
                    /**
                     * Format: int32
                     * @description Minimum number of calls in the last hour.
                     */
                    minCalls: number;
                } | null;
                byEmail: boolean;
                /** @description To the webhooks that subscribe to the type of the alert. */
                byWebhook: boolean;
                /**
                 * @description Whether mail can be sent: to a verified address, unless `notifications` of the profile is false or the gateway sends no mail.
                 * @enum {string}
                 */
                emailStatus: "ready" | "no_address" | "off_in_profile" | "no_mail_server";
                /**
                 * Format: date-time
                 * @description Null if nothing was ever set.
                 */
                updatedAt: string | null;
            };
        };
        ReadAuthorizationAnswer: {
            /** @constant */
            status: "success";
            client: {
                id: string;
                /** @description Chosen by the client, unverified. */
                name: string;
                /** Format: date-time */
                registeredAt: string;
            };
            /** @description Host that receives the code, or scheme and host of a program. */
            redirectHost: string;
            /** @description Whether that is a program on the machine of the user. */
            isLoopback: boolean;
            /** Format: uri */
            resource: string;
            /**
             * Format: uri
             * @description Redirect URL if the owner declines.
             */
            deniedUrl: string;
        };
        ReadAuthorizationServerAnswer: {
            /** Format: uri */
            issuer: string;
            /** Format: uri */
            authorization_endpoint: string;
            /** Format: uri */
            token_endpoint: string;
            /** Format: uri */
            registration_endpoint: string;
            /** Format: uri */
            revocation_endpoint: string;
            scopes_supported: "calls"[];
            response_types_supported: "code"[];
            response_modes_supported: "query"[];
            grant_types_supported: "authorization_code"[];
            token_endpoint_auth_methods_supported: "none"[];
            revocation_endpoint_auth_methods_supported: "none"[];
            code_challenge_methods_supported: "S256"[];
            /** @constant */
            authorization_response_iss_parameter_supported: true;
            /** Format: uri */
            service_documentation: string;
        };
        ReadBalanceAnswer: {
            /** @constant */
            status: "success";
            /** @description Available for calls. */
            consumer_available_balance: string;
            /** @description Held for calls in flight. */
            consumer_held_balance: string;
            /** @description Earned and available for withdrawal. */
            provider_receivable_balance: string;
            /** @description Locked for open withdrawals. */
            provider_locked_balance: string;
            /** @description Platform fees included in what the wallet's calls have paid. */
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
            /** @description RPC endpoint for clients. */
            rpcUrl: string;
            /** Format: int64 */
            requiredConfirmations: number;
            usdc: string;
            vault: string;
            /** @constant */
            decimals: 6;
            /** @description ABI of the vault, in the JSON format of Solidity. */
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
            /** @description Spent in the current reset interval. */
            spentUsdc: string;
            /** @description Held for calls in flight. */
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
                /** @description Part of totalEarnedUsdc that was earned from vouchers. */
                promotionalUsdc: string;
                /** @description Part of receivableUsdc that was earned from vouchers: withdrawn last, after a review. */
                receivablePromotionalUsdc: string;
            };
            /** @description The 100 with the highest earnings in the period, or of all time, highest first. */
            byService: {
                serviceId: string;
                /** Format: int64 */
                calls: number;
                earnedUsdc: string;
            }[];
            /** @description UTC days with earnings, newest first. */
            byDay: {
                /** Format: date */
                day: string;
                /** Format: int64 */
                calls: number;
                earnedUsdc: string;
            }[];
        };
        ReadGatewayHealthAnswer: {
            /** @constant */
            status: "success";
            /** Format: date-time */
            asOf: string;
            /** @description Withdrawals that wait for a review, counted up to 10,000. */
            withdrawalsToReview?: {
                /** Format: int64 */
                count: number;
                /**
                 * Format: date-time
                 * @description Of the oldest.
                 */
                since: string | null;
            };
            /** @description Support tasks that are open, counted up to 10,000. */
            openSupportTasks?: {
                /** Format: int64 */
                count: number;
                /**
                 * Format: date-time
                 * @description Of the oldest.
                 */
                since: string | null;
            };
            fees: {
                /** @description Not paid out yet, open withdrawals included. */
                accruedUsdc: string;
                /** @description In open withdrawals. */
                lockedUsdc: string;
                /** @description Losses, to be covered by fees. */
                lossesUsdc: string;
                /** @description What can be withdrawn now. */
                payableUsdc: string;
            };
            /** @description Periodic jobs of the responding gateway, since it started. */
            jobs: {
                name: string;
                /** @description Pause between the end of a run and the next; longer after long runs of some jobs. */
                intervalSeconds?: number;
                /**
                 * Format: int64
                 * @description Successful runs.
                 */
                runs: number;
                /** Format: int64 */
                failures: number;
                /**
                 * Format: date-time
                 * @description Null before the first run.
                 */
                lastStartedAt?: string | null;
                /**
                 * Format: int64
                 * @description Duration of the last finished run; null before it.
                 */
                lastRunMs?: number | null;
                /**
                 * @description Of the last finished run; null before it.
                 * @enum {string|null}
                 */
                lastOutcome?: "done" | "failed" | null;
                /**
                 * Format: date-time
                 * @description Null before the first success.
                 */
                lastDoneAt: string | null;
                /**
                 * Format: date-time
                 * @description Null during a run.
                 */
                nextRunAt?: string | null;
            }[];
            /** @description Queued jobs of all gateways, counted up to 10,000. */
            queue: {
                /** Format: int64 */
                ready: number;
                /** Format: int64 */
                scheduled: number;
                /** Format: int64 */
                running: number;
                /** Format: int64 */
                givenUp: number;
            };
            /**
             * Format: int64
             * @description Blocks between the head of the chain and the deposits that were read; null if unknown.
             */
            blocksBehind: number | null;
            /** @description Endpoints of the chain, with their rejected answers since the start of the gateway. */
            endpoints: {
                host: string;
                /**
                 * Format: int64
                 * @description Its last height; null before its first answer.
                 */
                block: number | null;
                /** Format: int64 */
                failed: number;
                /** Format: int64 */
                differed: number;
                /** Format: int64 */
                wasBehind: number;
            }[];
            /** @description Partitions of the ledger's log. */
            partitions: {
                /** Format: int32 */
                partition: number;
                /** Format: int64 */
                rows: number;
                /**
                 * Format: int64
                 * @description Rows that the tables do not reflect yet.
                 */
                behind: number;
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
                     * @description `probe`, the only source of health; `traffic` in older records.
                     * @enum {string}
                     */
                    source: "probe" | "traffic";
                }[];
            }[];
            /** @description The same records of all targets in one list. */
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
                 * @description `probe`, the only source of health; `traffic` in older records.
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
            /** @description Owed to the wallet, as a consumer and as a provider. */
            balanceUsdc: string;
            /** @description Random value that keeps others from guessing the leaf. */
            salt: string;
            leafHash: string;
            /** @description Sibling nodes from the leaf to the root. */
            branch: {
                hash: string;
                sumUsdc: string;
                /**
                 * @description Side of the sibling node.
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
             * @description Present when the result is no longer stored: `result` and `receipt.responseHash` are null.
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
                 * @description Number of targets tried.
                 */
                attempts: number;
                requestHash: string;
                responseHash: string | null;
                /** @description LLM services: the tokens, once known. */
                usage?: components["schemas"]["TokenUsage"];
                /** @description How the result violates the service's own schema; absent if it fits. */
                responseIssues?: {
                    path: string;
                    message: string;
                }[];
            };
            /** @description The provider's JSON, or `{value}` around a bare array or scalar, or `{contentType, text}` or `{contentType, base64}` of another type; null if it was streamed or is no longer stored. */
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
            /** @description `detail` of the error response, with its `requestId`. */
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
                /** @description Share of the calls while all targets are healthy. */
                share: number;
                isHealthy: boolean;
                /**
                 * Format: int64
                 * @description Median of its calls of 30 days; null without any.
                 */
                latencyMs: number | null;
                /** @description Its calls of the last 30 days, oldest first. */
                days: {
                    /**
                     * Format: date
                     * @description UTC.
                     * @example 2026-11-21
                     */
                    date: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Calls that failed at the provider.
                     */
                    failed: number;
                }[];
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
                     * @description `probe`, the only source of health; `traffic` in older records.
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
                /** @description Unique; accepted wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
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
                /** @description After a raise: callers who send no price (MCP) pay `amountUntilThen` until `effectiveAt`, then `amount`. `costUsdc` must always be `pricing.amount`. */
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
                /** @description For comparison: the fixed price, or the price of a call with 1,000 input tokens, at the highest price of input, and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of successful calls of the last seven days, recent ones weighted more. Counts charged calls, and failed ones that would have been charged, of other wallets that have deposited, at the current price or above. Null while there are too few. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean duration of the successful calls, in ms; null while there are too few.
                 */
                latencyMs: number | null;
                /** @description Output tokens per second of the successful calls of a model, over whole calls; null while there are too few, and for services at a fixed price. */
                tokensPerSecond: number | null;
                /** @description Metered calls of the last 30 days, oldest first. */
                days: {
                    /**
                     * Format: date
                     * @description UTC.
                     * @example 2026-11-21
                     */
                    date: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Calls that failed at the provider.
                     */
                    failed: number;
                    /**
                     * Format: int64
                     * @description Mean of the successful calls; null if there were none.
                     */
                    latencyMs: number | null;
                    /** @description Output tokens per second of the calls that a model is rated by, over whole calls; null if there were none. */
                    tokensPerSecond: number | null;
                }[];
                /** @description Username of the provider, chosen by itself: neither verified nor unique. */
                provider: string;
                /** @description Wallet of the provider, for `provider` of `GET /market/services`. */
                providerAddress?: string;
                /**
                 * Format: date-time
                 * @description When the service was registered.
                 */
                createdAt: string;
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                /**
                 * Format: int32
                 * @description Time to a whole answer, and to the head of a stream.
                 */
                timeoutMs: number;
                /**
                 * Format: int32
                 * @description Time that a stream may bring nothing after its head.
                 */
                streamIdleTimeoutMs: number;
                /**
                 * Format: int32
                 * @description Time that a stream may take after its head.
                 */
                streamMaxMs: number;
                /**
                 * @description `json`: `payload.body` as JSON. `form`: its members as application/x-www-form-urlencoded. `multipart`: as parts of multipart/form-data, each a text or `{base64, filename?, contentType?}`. `text`: `payload.body` is a string, sent unchanged.
                 * @enum {string}
                 */
                encoding: "json" | "form" | "multipart" | "text";
                /** @description Content type of `text` bodies; null: text/plain in UTF-8. */
                contentType: string | null;
                /** @description Names that `payload.path` must give, and no other. */
                pathParameters: string[];
                /** @description JSON Schemas of the request under `body`, `query` and `path`, and other members that the provider set. */
                request: {
                    [key: string]: unknown;
                };
                /** @description The same for responses. */
                response: {
                    [key: string]: unknown;
                };
            } | {
                serviceId: string;
                serviceName: string;
                /** @description Unique; accepted wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
                targetVerified: boolean;
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price per million input tokens read from a cache; null: the input price. */
                cacheReadPricePer1M: string | null;
                /** @description Price per million input tokens written to a cache; null: the input price. */
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
                 * @description Input tokens held for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
                 */
                contextTokens: number | null;
                /** @enum {string} */
                llmDialect: "openai" | "anthropic";
                /**
                 * @description `embeddings`: takes `input` at `POST /v1/embeddings` only; `chat`: any other model.
                 * @enum {string}
                 */
                modelKind: "chat" | "embeddings";
                /** @description Services of the same family offer the same model; null: it is of none. */
                modelFamily: string | null;
                /** @description What the model takes as input, as its provider states it; null: not stated. */
                inputModalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
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
                    /** @description Price per million input tokens read from a cache; null: the input price. */
                    cacheReadPricePer1M: string | null;
                    /** @description Price per million input tokens written to a cache; null: the input price. */
                    cacheWritePricePer1M: string | null;
                    /** Format: int32 */
                    defaultMaxOutputTokens: number;
                    maxAutoHoldUsdc: string;
                    holdBufferMultiplier: number;
                    /**
                     * Format: int32
                     * @description Input tokens held for an image, a sound or a file in base64.
                     */
                    mediaTokens: number;
                    /**
                     * Format: int32
                     * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
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
                /** @description For comparison: the fixed price, or the price of a call with 1,000 input tokens, at the highest price of input, and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of successful calls of the last seven days, recent ones weighted more. Counts charged calls, and failed ones that would have been charged, of other wallets that have deposited, at the current price or above. Null while there are too few. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean duration of the successful calls, in ms; null while there are too few.
                 */
                latencyMs: number | null;
                /** @description Output tokens per second of the successful calls of a model, over whole calls; null while there are too few, and for services at a fixed price. */
                tokensPerSecond: number | null;
                /** @description Metered calls of the last 30 days, oldest first. */
                days: {
                    /**
                     * Format: date
                     * @description UTC.
                     * @example 2026-11-21
                     */
                    date: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Calls that failed at the provider.
                     */
                    failed: number;
                    /**
                     * Format: int64
                     * @description Mean of the successful calls; null if there were none.
                     */
                    latencyMs: number | null;
                    /** @description Output tokens per second of the calls that a model is rated by, over whole calls; null if there were none. */
                    tokensPerSecond: number | null;
                }[];
                /** @description Username of the provider, chosen by itself: neither verified nor unique. */
                provider: string;
                /** @description Wallet of the provider, for `provider` of `GET /market/services`. */
                providerAddress?: string;
                /**
                 * Format: date-time
                 * @description When the service was registered.
                 */
                createdAt: string;
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                /**
                 * Format: int32
                 * @description Time to a whole answer, and to the head of a stream.
                 */
                timeoutMs: number;
                /**
                 * Format: int32
                 * @description Time that a stream may bring nothing after its head.
                 */
                streamIdleTimeoutMs: number;
                /**
                 * Format: int32
                 * @description Time that a stream may take after its head.
                 */
                streamMaxMs: number;
                /**
                 * @description `json`: `payload.body` as JSON. `form`: its members as application/x-www-form-urlencoded. `multipart`: as parts of multipart/form-data, each a text or `{base64, filename?, contentType?}`. `text`: `payload.body` is a string, sent unchanged.
                 * @enum {string}
                 */
                encoding: "json" | "form" | "multipart" | "text";
                /** @description Content type of `text` bodies; null: text/plain in UTF-8. */
                contentType: string | null;
                /** @description Names that `payload.path` must give, and no other. */
                pathParameters: string[];
                /** @description JSON Schemas of the request under `body`, `query` and `path`, and other members that the provider set. */
                request: {
                    [key: string]: unknown;
                };
                /** @description The same for responses. */
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
             * @description Services that can be called now.
             */
            services: number;
            /**
             * Format: int64
             * @description Metered calls that were forwarded to providers.
             */
            callsLast7Days: number;
            /** @description Median time that this gateway added to paid calls since it started; null before the first. */
            medianOverheadMs: number | null;
        };
        ReadModelAnswer: {
            name: string;
            description: string;
            /**
             * Format: int32
             * @description The manifest's `contextTokens`; null: not stated.
             */
            context_length: number | null;
            architecture: {
                /** @description The manifest's `inputModalities`; null: not stated. */
                input_modalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
                output_modalities: ("text" | "embeddings")[];
            };
            /** @description USD per token, exact decimals; `request` is per call. */
            pricing: {
                prompt: string;
                completion: string;
                input_cache_read: string;
                input_cache_write: string;
                request: string;
            };
            id: string;
            /** @constant */
            object: "model";
            /** Format: int64 */
            created: number;
            owned_by: string;
        } | {
            name: string;
            description: string;
            /**
             * Format: int32
             * @description The manifest's `contextTokens`; null: not stated.
             */
            context_length: number | null;
            architecture: {
                /** @description The manifest's `inputModalities`; null: not stated. */
                input_modalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
                output_modalities: ("text" | "embeddings")[];
            };
            /** @description USD per token, exact decimals; `request` is per call. */
            pricing: {
                prompt: string;
                completion: string;
                input_cache_read: string;
                input_cache_write: string;
                request: string;
            };
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
             * @description Address that is not confirmed yet.
             */
            pendingEmail: string | null;
            /**
             * @description `locked`: five wrong codes; a resend or another address unlocks.
             * @enum {string}
             */
            emailVerificationStatus: "none" | "pending" | "verified" | "locked";
            /**
             * Format: int32
             * @description Verification mails left today (UTC).
             */
            emailVerificationSendsRemaining: number;
            /** @description Whether to email the wallet about events, such as alerts. Verification codes are always sent. */
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
                 * @description Address that is not confirmed yet.
                 */
                pendingEmail: string | null;
                /**
                 * @description `locked`: five wrong codes; a resend or another address unlocks.
                 * @enum {string}
                 */
                emailVerificationStatus: "none" | "pending" | "verified" | "locked";
                /**
                 * Format: int32
                 * @description Verification mails left today (UTC).
                 */
                emailVerificationSendsRemaining: number;
                /** @description Whether to email the wallet about events, such as alerts. Verification codes are always sent. */
                notifications: boolean;
                roles: ("owner" | "provider" | "admin")[];
                /** Format: date-time */
                createdAt: string;
            };
        };
        ReadProtectedMcpAnswer: {
            /** Format: uri */
            resource: string;
            /** @constant */
            resource_name: "Farebox";
            authorization_servers: string[];
            bearer_methods_supported: "header"[];
            scopes_supported: "calls"[];
            /** Format: uri */
            resource_documentation: string;
        };
        ReadProtectedResourceAnswer: {
            /** Format: uri */
            resource: string;
            /** @constant */
            resource_name: "Farebox";
            authorization_servers: string[];
            bearer_methods_supported: "header"[];
            scopes_supported: "calls"[];
            /** Format: uri */
            resource_documentation: string;
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
                     * @description `probe`, the only source of health; `traffic` in older records.
                     * @enum {string}
                     */
                    source: "probe" | "traffic";
                }[];
            }[];
            /** @description The same records of all targets in one list. */
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
                 * @description `probe`, the only source of health; `traffic` in older records.
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
                migrations: true;
                /** @constant */
                clock: true;
                /** @description False while the chain is unreachable: deposits and withdrawals are delayed. */
                chain: boolean;
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
            /** @description Requirements for a service. */
            requirements: string[];
            /** @description Steps, in order. */
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
            /** @description Positive while a deposit is not credited yet. */
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
            /** @description Root of the newest tree of liabilities; null before the first. */
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
            /**
             * Format: int32
             * @description Number of UTC days that the period touches.
             */
            days: number;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            total: {
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Calls that failed and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
                /** Format: int64 */
                inputTokens: number;
                /**
                 * Format: int64
                 * @description Input tokens read from a cache.
                 */
                cacheReadTokens: number;
                /** Format: int64 */
                outputTokens: number;
                /**
                 * Format: int64
                 * @description Median of successful calls; null without any.
                 */
                latencyP50Ms: number | null;
                /** Format: int64 */
                latencyP95Ms: number | null;
                /**
                 * Format: int64
                 * @description Calls that were refused before money was held, in whole hours.
                 */
                refusedCalls: number;
            };
            /** @description All of the period, oldest first, also those without calls. */
            buckets: {
                /** Format: date-time */
                start: string;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Calls that failed and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
                /** Format: int64 */
                inputTokens: number;
                /**
                 * Format: int64
                 * @description Input tokens read from a cache.
                 */
                cacheReadTokens: number;
                /** Format: int64 */
                outputTokens: number;
                /**
                 * Format: int64
                 * @description Median of successful calls; null without any.
                 */
                latencyP50Ms: number | null;
                /** Format: int64 */
                latencyP95Ms: number | null;
                /**
                 * Format: int64
                 * @description Calls that were refused before money was held, in whole hours.
                 */
                refusedCalls: number;
            }[];
            /** @description The services, credentials or models with the highest cost, highest first. Key null: all other calls, last. */
            series: {
                key: string | null;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Calls that failed and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
                /** Format: int64 */
                inputTokens: number;
                /**
                 * Format: int64
                 * @description Input tokens read from a cache.
                 */
                cacheReadTokens: number;
                /** Format: int64 */
                outputTokens: number;
                /**
                 * Format: int64
                 * @description Median of successful calls; null without any.
                 */
                latencyP50Ms: number | null;
                /** Format: int64 */
                latencyP95Ms: number | null;
                /** @description Buckets with calls, oldest first. */
                points: {
                    /** Format: date-time */
                    start: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Calls that failed and were not charged.
                     */
                    failedCalls: number;
                    spentUsdc: string;
                    /** Format: int64 */
                    inputTokens: number;
                    /**
                     * Format: int64
                     * @description Input tokens read from a cache.
                     */
                    cacheReadTokens: number;
                    /** Format: int64 */
                    outputTokens: number;
                }[];
            }[];
            /** @description The 100 most frequent reasons for which calls were refused, most frequent first. */
            refusals: {
                credentialId: string;
                code: string;
                /** @description `limit` of the detail of the error; null without one. */
                limit: string | null;
                /** Format: int64 */
                calls: number;
                /** Format: date-time */
                lastAt: string;
            }[];
            /** @description UTC days with calls, oldest first. */
            byDay: {
                /** Format: date */
                day: string;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Calls that failed and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
            }[];
            /** @description The 100 with the highest cost, highest first. */
            byService: {
                serviceId: string;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Calls that failed and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
                /**
                 * Format: date-time
                 * @description Time of the newest of these calls.
                 */
                lastCallAt: string;
            }[];
            byCredential: {
                credentialId: string;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Calls that failed and were not charged.
                 */
                failedCalls: number;
                spentUsdc: string;
                /**
                 * Format: date-time
                 * @description Time of the newest of these calls.
                 */
                lastCallAt: string;
            }[];
            /**
             * Format: date-time
             * @description Set if the period has too many calls: only calls from this time on are summed. Otherwise null.
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
        ReadStatusAnswer: {
            /** @constant */
            status: "success";
            /** Format: date-time */
            asOf: string;
            /** @description False while the chain is unreachable: deposits and withdrawals are delayed. */
            isChainReachable: boolean;
            /** @description True while the vault is paused; null if the chain is unreachable. */
            isVaultPaused: boolean | null;
            /**
             * @description Why withdrawals wait for a review; null if they do not.
             * @enum {string|null}
             */
            ticketBlock: "books_inconsistent" | "chain_finding" | "chain_not_followed" | "books_unchecked" | null;
            /**
             * Format: date-time
             * @description Last check of the books; null before the first.
             */
            lastReconciledAt: string | null;
        };
        ReadSupportTaskAnswer: {
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
                /** @description Other members of the report: feedbackId, source, route, context. */
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
                    /** @description Whether the author has registered a service. */
                    isProvider?: boolean;
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
                    /** @description Whether the author has registered a service. */
                    isProvider?: boolean;
                };
                body: string;
                /** Format: date-time */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last. */
            nextCursor: string | null;
        };
        ReadTrafficAnswer: {
            /** @constant */
            status: "success";
            /**
             * Format: date-time
             * @description Start of the first bucket.
             */
            from: string;
            /** Format: date-time */
            to: string;
            /** @enum {string} */
            bucket: "minute" | "hour" | "day" | "week";
            total: {
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Wallets whose agents made these calls.
                 */
                callers: number;
                /** Format: int64 */
                succeeded: number;
                /**
                 * Format: int64
                 * @description Calls in flight, or whose usage is pending.
                 */
                open: number;
                /**
                 * Format: int64
                 * @description Not charged: the provider timed out, was unreachable, or answered 5xx, 408, 429 or unusably.
                 */
                providerFaults: number;
                /**
                 * Format: int64
                 * @description Not charged: the provider answered another 4xx.
                 */
                callerFaults: number;
                /**
                 * Format: int64
                 * @description Not charged: cut streams, interrupted calls, and failures whose answer is no longer stored.
                 */
                otherFaults: number;
                /** @description Of successful calls; null without one. */
                latencyMs: {
                    p50: number;
                    p95: number;
                    p99: number;
                } | null;
                /** @description Charges less the platform fee, by the time of the call. */
                earnedUsdc: string;
                /** @description Part of earnedUsdc that vouchers paid. */
                promotionalUsdc: string;
            };
            /** @description Every bucket of the period, oldest first, also those without calls. */
            series: {
                /** Format: date-time */
                start: string;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Wallets whose agents made these calls.
                 */
                callers: number;
                /** Format: int64 */
                succeeded: number;
                /**
                 * Format: int64
                 * @description Calls in flight, or whose usage is pending.
                 */
                open: number;
                /**
                 * Format: int64
                 * @description Not charged: the provider timed out, was unreachable, or answered 5xx, 408, 429 or unusably.
                 */
                providerFaults: number;
                /**
                 * Format: int64
                 * @description Not charged: the provider answered another 4xx.
                 */
                callerFaults: number;
                /**
                 * Format: int64
                 * @description Not charged: cut streams, interrupted calls, and failures whose answer is no longer stored.
                 */
                otherFaults: number;
                /** @description Of successful calls; null without one. */
                latencyMs: {
                    p50: number;
                    p95: number;
                    p99: number;
                } | null;
                /** @description Charges less the platform fee, by the time of the call. */
                earnedUsdc: string;
                /** @description Part of earnedUsdc that vouchers paid. */
                promotionalUsdc: string;
            }[];
            /** @description The 100 with the most calls. */
            byService: {
                serviceId: string;
                /** Format: int64 */
                calls: number;
                /**
                 * Format: int64
                 * @description Wallets whose agents made these calls.
                 */
                callers: number;
                /** Format: int64 */
                succeeded: number;
                /**
                 * Format: int64
                 * @description Calls in flight, or whose usage is pending.
                 */
                open: number;
                /**
                 * Format: int64
                 * @description Not charged: the provider timed out, was unreachable, or answered 5xx, 408, 429 or unusably.
                 */
                providerFaults: number;
                /**
                 * Format: int64
                 * @description Not charged: the provider answered another 4xx.
                 */
                callerFaults: number;
                /**
                 * Format: int64
                 * @description Not charged: cut streams, interrupted calls, and failures whose answer is no longer stored.
                 */
                otherFaults: number;
                /** @description Of successful calls; null without one. */
                latencyMs: {
                    p50: number;
                    p95: number;
                    p99: number;
                } | null;
                /** @description Charges less the platform fee, by the time of the call. */
                earnedUsdc: string;
                /** @description Part of earnedUsdc that vouchers paid. */
                promotionalUsdc: string;
            }[];
            /** @description The 100 with the most attempts, in whole hours that begin in the period. Counted separately, delayed by some seconds, and kept for 30 days. */
            byTarget: {
                serviceId: string;
                url: string;
                /**
                 * Format: int64
                 * @description Attempts. Those not counted below are awaiting usage.
                 */
                calls: number;
                /** Format: int64 */
                succeeded: number;
                /** Format: int64 */
                providerFaults: number;
                /** Format: int64 */
                callerFaults: number;
                /** Format: int64 */
                otherFaults: number;
                /** @description Of successful attempts, accurate to 10%; null without one. */
                latencyMs: {
                    p50: number;
                    p95: number;
                    p99: number;
                } | null;
                /** @description Charges less the platform fee, of calls that this target answered; without late usage. */
                earnedUsdc: string;
            }[];
            /** @description The ten wallets with the most calls, which stay unnamed. */
            byCaller: {
                /** Format: int64 */
                calls: number;
                /** Format: int64 */
                succeeded: number;
                /** @description Charges less the platform fee. */
                earnedUsdc: string;
                /** Format: date-time */
                lastAt: string;
            }[];
            /** @description The 50 most frequent ways to fail. */
            failures: {
                /** @enum {string} */
                fault: "provider" | "caller" | "other";
                code: string;
                /**
                 * Format: int32
                 * @description What the caller got; null if the answer is no longer stored.
                 */
                httpStatus: number | null;
                reason: string | null;
                /**
                 * Format: int64
                 * @description Status of the provider, if it answered.
                 */
                upstreamStatus: number | null;
                /** @description Of the newest such call. */
                message: string | null;
                /** @description Start of the provider’s own text in the newest such call. */
                upstreamBody: string | null;
                /** Format: int64 */
                calls: number;
                /** Format: date-time */
                lastAt: string;
                lastInvocationId: string;
            }[];
            /**
             * Format: date-time
             * @description Set if there are too many calls: only those from this time on are counted. Otherwise null.
             */
            countedFrom: string | null;
        };
        ReadWithdrawalAnswer: {
            /** @constant */
            status: "success";
            ownerAddress: string;
            withdrawalId: string;
            /** @description Alias of withdrawalId. */
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
            /** @description Amount that can be withdrawn now; the same as receivableUsdc. */
            available: string;
            receivableUsdc: string;
            /** @description Part of receivableUsdc that was earned from vouchers: withdrawn last, after a review. */
            receivablePromotionalUsdc: string;
            lockedUsdc: string;
            /** @description Null while the chain is unreachable. */
            vaultLiquidityUsdc: string | null;
            autoApproveMaxUsdc: string;
            /** @description Left of the daily limits today: the smaller of this wallet's and that of all wallets. */
            autoApproveLeftTodayUsdc: string;
            /** @description False while the books do not reconcile. */
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
             * @description Number of targets tried.
             */
            attempts: number;
            requestHash: string;
            responseHash: string | null;
            /** @description LLM services: the tokens, once known. */
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
            /** @description Null while the chain is unreachable. */
            vaultBalanceUsdc: string | null;
            /** @description Liabilities to wallets. */
            liabilitiesUsdc: string;
            /** @description Sum of all entries: zero. */
            ledgerSumUsdc: string;
        };
        ReconcileNowBody: {
            /**
             * @description Stored in the audit log. The owner of what is suspended reads it.
             * @example Reported for returning other answers than it is paid for.
             */
            reason?: string | null;
        } | null;
        RedeemOauthCodeAnswer: {
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** Format: int64 */
            expires_in?: number;
            /** @constant */
            scope: "calls";
        };
        RedeemOauthCodeBody: {
            grant_type: string;
            code: string;
            redirect_uri: string;
            client_id: string;
            code_verifier: string;
            resource?: string;
        } & {
            [key: string]: unknown;
        };
        RedeemOauthCodeError: {
            /** @enum {string} */
            code: "INVALID_REQUEST" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_REQUEST" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE";
                message: string;
            } & {
                [key: string]: unknown;
            };
            /** @enum {string} */
            error: "invalid_request" | "invalid_client" | "invalid_grant" | "invalid_target" | "invalid_client_metadata" | "invalid_redirect_uri" | "unsupported_grant_type" | "unsupported_response_type" | "temporarily_unavailable" | "server_error";
            error_description: string;
        };
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
        RegisterOauthClientAnswer: {
            client_id: string;
            /** Format: int64 */
            client_id_issued_at: number;
            client_name: string;
            redirect_uris: string[];
            grant_types: "authorization_code"[];
            response_types: "code"[];
            /** @constant */
            token_endpoint_auth_method: "none";
        };
        RegisterOauthClientBody: {
            /** @description https, http on a loopback address, whose port may differ later (RFC 8252, 7.3), or the scheme of a known program or a domain in reverse (7.1). */
            redirect_uris: string[];
            client_name?: string;
        } & {
            [key: string]: unknown;
        };
        RegisterOauthClientError: {
            /** @enum {string} */
            code: "INVALID_REQUEST" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_REQUEST" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE";
                message: string;
            } & {
                [key: string]: unknown;
            };
            /** @enum {string} */
            error: "invalid_request" | "invalid_client" | "invalid_grant" | "invalid_target" | "invalid_client_metadata" | "invalid_redirect_uri" | "unsupported_grant_type" | "unsupported_response_type" | "temporarily_unavailable" | "server_error";
            error_description: string;
        };
        RegisterServiceAnswer: {
            serviceId: string;
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            agentToolName: string;
            service: components["schemas"]["Service"];
            /** @description Consequences of the manifest that may be unintended. */
            warnings: string[];
        };
        RegisterServiceBody: {
            serviceId?: string | null;
            /** @enum {string|null} */
            status?: "active" | "inactive" | "suspended" | "deleted" | "paused" | null;
            isActive?: boolean | null;
            /** @description Read-only; ignored in requests. */
            readonly runtimeAvailable?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly targetVerified?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly scheduledPricing?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly ownerAddress?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly hasUpstreamHeaders?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly health?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly suspension?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly createdAt?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly updatedAt?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly modelKind?: unknown;
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
            inputModalities?: ("text" | "image" | "audio" | "video" | "file")[] | null;
            /** @enum {string|null} */
            outputLimitField?: "max_tokens" | "max_completion_tokens" | null;
            upstreamModel?: string | null;
            invoke: {
                /** @enum {string} */
                method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                targets: {
                    /**
                     * Format: uri-template
                     * @description A `{name}` in its path is filled from `payload.path` of the call.
                     */
                    url: string;
                    /** @description What probes ask for at the origin of this target; absent: `healthCheck.path`, else the URL up to its first `{`. */
                    healthPath?: string | null;
                    /** @default 1 */
                    weight?: number;
                    /** @description Read-only; ignored in requests. */
                    readonly isHealthy?: unknown;
                    /** @description Read-only; ignored in requests. */
                    readonly lastCheckedAt?: unknown;
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
                 * @description Time to a whole answer, and to the head of a stream.
                 * @default 30000
                 */
                timeoutMs?: number;
                /**
                 * Format: int32
                 * @description Time that a stream may bring nothing after its head.
                 * @default 60000
                 */
                streamIdleTimeoutMs?: number;
                /**
                 * Format: int32
                 * @description Time that a stream may take after its head.
                 * @default 600000
                 */
                streamMaxMs?: number;
                /**
                 * @description How `payload.body` is sent to the targets.
                 * @default json
                 * @enum {string}
                 */
                encoding?: "json" | "form" | "multipart" | "text";
                /** @description Content type of `text` bodies; absent: text/plain in UTF-8. */
                contentType?: string | null;
            };
            healthCheck?: {
                /** @description Relative to the origin of each target; absent: the target's own URL. */
                path?: string;
                /** Format: int32 */
                timeoutMs?: number;
                /** @description Healthy status codes; default: all below 500. */
                successCodes?: number[];
                /** @enum {string} */
                method?: "GET" | "HEAD" | "POST" | "OPTIONS";
                /**
                 * Format: int32
                 * @description Consecutive successful probes until a target is healthy.
                 * @default 1
                 */
                healthyThreshold?: number;
                /**
                 * Format: int32
                 * @description Consecutive failed probes until a target is unhealthy.
                 * @default 1
                 */
                unhealthyThreshold?: number;
            } | null;
            upstreamHeaders?: {
                [key: string]: string;
            } | null;
            /**
             * @description What signs requests to the targets: a key of the gateway (Ed25519, the default), or the signing secret of the wallet (HMAC-SHA256; verifying takes 3 us instead of 100).
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
                /** @description Alias of withdrawalId. */
                intentId: string;
                amountUsdc: string;
                /** @description Part that was earned from vouchers. If positive, the withdrawal needs a review. */
                promotionalUsdc: string;
                /**
                 * @description Earnings of its wallet, or platform fees that an admin pays out.
                 * @enum {string}
                 */
                source: "earnings" | "fees";
                /** @enum {string} */
                status: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @enum {string} */
                statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @description Null unless it can be redeemed. */
                ticket: components["schemas"]["WithdrawalTicket"] | null;
                /** @description Transaction that redeemed it. */
                txHash: string | null;
                /** @description Reason given by its reviewer. */
                reason: string | null;
                /** @description Why no ticket was issued when it was opened; empty if one was. */
                reviewCauses: ("vouchers" | "wallet_limit" | "total_limit" | "vault_illiquid" | "tickets_stopped")[];
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
                ownerAddress: string;
                /** @description The admin who opened a withdrawal of fees. */
                openedBy: string | null;
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
                type: "deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                /** @enum {string} */
                status: "pending" | "delivered" | "failed";
                /** Format: int64 */
                attempts: number;
                /**
                 * Format: int32
                 * @description Status of the last response.
                 */
                responseStatus: number | null;
                /**
                 * @description Error of the last attempt.
                 * @enum {string|null}
                 */
                error: "status" | "timeout" | "connect" | "reset" | "redirect" | "blocked_address" | "too_large" | "encoding" | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastAttemptAt: string | null;
                /**
                 * Format: date-time
                 * @description Null unless it is pending and the webhook active.
                 */
                nextAttemptAt: string | null;
                payload: {
                    /** @enum {string} */
                    type: "deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
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
            /** @description The same, or a usage block in the format of OpenAI or Anthropic. */
            usage?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int32
             * @description Input tokens read from a cache.
             * @example 120
             */
            cacheReadTokens?: number;
            /**
             * Format: int32
             * @description Input tokens written to a cache.
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
             * @description Address that is not confirmed yet.
             */
            pendingEmail: string | null;
            /**
             * @description `locked`: five wrong codes; a resend or another address unlocks.
             * @enum {string}
             */
            emailVerificationStatus: "none" | "pending" | "verified" | "locked";
            /**
             * Format: int32
             * @description Verification mails left today (UTC).
             */
            emailVerificationSendsRemaining: number;
            /** @description Whether to email the wallet about events, such as alerts. Verification codes are always sent. */
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
                 * @description Address that is not confirmed yet.
                 */
                pendingEmail: string | null;
                /**
                 * @description `locked`: five wrong codes; a resend or another address unlocks.
                 * @enum {string}
                 */
                emailVerificationStatus: "none" | "pending" | "verified" | "locked";
                /**
                 * Format: int32
                 * @description Verification mails left today (UTC).
                 */
                emailVerificationSendsRemaining: number;
                /** @description Whether to email the wallet about events, such as alerts. Verification codes are always sent. */
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
             * @description Stored in the audit log. The owner of what is suspended reads it.
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
             * @description Stored in the audit log. The owner of what is suspended reads it.
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
                /** @description Subject: `txHash:logIndex` of an event, or the address of the vault. */
                subject: string;
                /** @description Hashes, nonces, wallets, amounts and heights of the disagreement. */
                detail: {
                    [key: string]: string;
                };
                /** @description Acts by which an admin can settle it; empty if it closes automatically once its cause is gone. */
                acts: ("adopt" | "reverse")[];
                /** Format: date-time */
                foundAt: string;
                /** Format: date-time */
                resolvedAt: string | null;
                /** @description Null while it is open; `gone` when chain and books agree again, otherwise the act. */
                resolution: string | null;
            };
            /** @description Charged to the wallet. */
            chargedUsdc: string;
            /** @description Borne by the platform. */
            borneUsdc: string;
        };
        ReverseDepositBody: {
            /**
             * @description Stored in the audit log.
             * @example Paid after the time of the restored backup.
             */
            reason: string;
        };
        RevokeCredentialAnswer: {
            /** @constant */
            status: "success";
            credentialId: string;
            credential: components["schemas"]["Credential"];
        };
        RevokeOauthTokenAnswer: Record<string, unknown>;
        RevokeOauthTokenBody: {
            token: string;
            client_id: string;
        } & {
            [key: string]: unknown;
        };
        RevokeOauthTokenError: {
            /** @enum {string} */
            code: "INVALID_REQUEST" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE";
            message: string;
            requestId: string;
            detail: {
                /** @enum {string} */
                code: "INVALID_REQUEST" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "INTERNAL" | "UNAVAILABLE";
                message: string;
            } & {
                [key: string]: unknown;
            };
            /** @enum {string} */
            error: "invalid_request" | "invalid_client" | "invalid_grant" | "invalid_target" | "invalid_client_metadata" | "invalid_redirect_uri" | "unsupported_grant_type" | "unsupported_response_type" | "temporarily_unavailable" | "server_error";
            error_description: string;
        };
        RotateCredentialAnswer: {
            /** @constant */
            status: "success";
            /** @description Shown only once. Send it as `X-Credential`. */
            token: string;
            credentialId: string;
            credential: {
                id: string;
                credential_id: string;
                name: string;
                /** Format: int64 */
                maxCalls: number | null;
                creditLimit: string | null;
                /** @description Maximum cost of one call; null: no cap. */
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
                /** @description Shown only once. Send it as `X-Credential`. */
                token: string;
            };
        };
        RotateCredentialBody: {
            /**
             * Format: int32
             * @description Seconds for which the old token stays valid; default: 0.
             */
            overlapSeconds?: number | null;
        } | null;
        RotateSigningSecretAnswer: {
            /** @constant */
            status: "success";
            signingSecret: components["schemas"]["SigningSecret"];
            /** @description Shown only once. The key of the HMAC is its 32 bytes, in Base64 after `sigsec_`. */
            secret: string;
        };
        RotateSigningSecretBody: {
            /**
             * Format: int32
             * @description Seconds for which the old secret continues to sign, while you install the new one.
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
                events: ("deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
                /** @enum {string} */
                status: "active" | "disabled";
                /**
                 * @description `owner`: disabled by you. `gone`: the receiver answered 410. `failing`: no success for five days.
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
                 * @description Until then deliveries are also signed with the previous secret.
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
            /** @description Shown only once. Verify `webhook-signature` with it (Standard Webhooks). */
            secret: string;
        };
        RotateWebhookSecretBody: {
            /**
             * Format: int32
             * @description Seconds for which deliveries are also signed with the old secret.
             * @default 86400
             */
            overlapSeconds?: number;
        } | null;
        Seal: {
            /** Format: int64 */
            number: number;
            /** @description Last entry of the previous seal; 0 for the first seal. */
            afterEntryId: string;
            lastEntryId: string;
            /**
             * Format: int64
             * @description Number of entries between these ids.
             */
            entries: number;
            /** @description Root of the Merkle tree over these entries. */
            root: string;
            /** @description `hash` of the previous seal; zeros for the first seal. */
            previousHash: string;
            hash: string;
            /** Format: date-time */
            sealedAt: string;
            /** @description Last row of each partition of the log when the seal was made; null in seals older than the log. */
            heads: components["schemas"]["SealedHead"][] | null;
        };
        SealedHead: {
            /** Format: int32 */
            partition: number;
            /** @description Number of its last row; 0 before the first. */
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
                /** @description Unique; accepted wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
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
                /** @description After a raise: callers who send no price (MCP) pay `amountUntilThen` until `effectiveAt`, then `amount`. `costUsdc` must always be `pricing.amount`. */
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
                /** @description For comparison: the fixed price, or the price of a call with 1,000 input tokens, at the highest price of input, and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of successful calls of the last seven days, recent ones weighted more. Counts charged calls, and failed ones that would have been charged, of other wallets that have deposited, at the current price or above. Null while there are too few. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean duration of the successful calls, in ms; null while there are too few.
                 */
                latencyMs: number | null;
                /** @description Output tokens per second of the successful calls of a model, over whole calls; null while there are too few, and for services at a fixed price. */
                tokensPerSecond: number | null;
                /** @description Metered calls of the last seven days, oldest first. */
                days: {
                    /**
                     * Format: date
                     * @description UTC.
                     * @example 2026-11-21
                     */
                    date: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Calls that failed at the provider.
                     */
                    failed: number;
                    /**
                     * Format: int64
                     * @description Mean of the successful calls; null if there were none.
                     */
                    latencyMs: number | null;
                    /** @description Output tokens per second of the calls that a model is rated by, over whole calls; null if there were none. */
                    tokensPerSecond: number | null;
                }[];
            } | {
                serviceId: string;
                serviceName: string;
                /** @description Unique; accepted wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
                targetVerified: boolean;
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price per million input tokens read from a cache; null: the input price. */
                cacheReadPricePer1M: string | null;
                /** @description Price per million input tokens written to a cache; null: the input price. */
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
                 * @description Input tokens held for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
                 */
                contextTokens: number | null;
                /** @enum {string} */
                llmDialect: "openai" | "anthropic";
                /**
                 * @description `embeddings`: takes `input` at `POST /v1/embeddings` only; `chat`: any other model.
                 * @enum {string}
                 */
                modelKind: "chat" | "embeddings";
                /** @description Services of the same family offer the same model; null: it is of none. */
                modelFamily: string | null;
                /** @description What the model takes as input, as its provider states it; null: not stated. */
                inputModalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
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
                    /** @description Price per million input tokens read from a cache; null: the input price. */
                    cacheReadPricePer1M: string | null;
                    /** @description Price per million input tokens written to a cache; null: the input price. */
                    cacheWritePricePer1M: string | null;
                    /** Format: int32 */
                    defaultMaxOutputTokens: number;
                    maxAutoHoldUsdc: string;
                    holdBufferMultiplier: number;
                    /**
                     * Format: int32
                     * @description Input tokens held for an image, a sound or a file in base64.
                     */
                    mediaTokens: number;
                    /**
                     * Format: int32
                     * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
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
                /** @description For comparison: the fixed price, or the price of a call with 1,000 input tokens, at the highest price of input, and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of successful calls of the last seven days, recent ones weighted more. Counts charged calls, and failed ones that would have been charged, of other wallets that have deposited, at the current price or above. Null while there are too few. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean duration of the successful calls, in ms; null while there are too few.
                 */
                latencyMs: number | null;
                /** @description Output tokens per second of the successful calls of a model, over whole calls; null while there are too few, and for services at a fixed price. */
                tokensPerSecond: number | null;
                /** @description Metered calls of the last seven days, oldest first. */
                days: {
                    /**
                     * Format: date
                     * @description UTC.
                     * @example 2026-11-21
                     */
                    date: string;
                    /** Format: int64 */
                    calls: number;
                    /**
                     * Format: int64
                     * @description Calls that failed at the provider.
                     */
                    failed: number;
                    /**
                     * Format: int64
                     * @description Mean of the successful calls; null if there were none.
                     */
                    latencyMs: number | null;
                    /** @description Output tokens per second of the calls that a model is rated by, over whole calls; null if there were none. */
                    tokensPerSecond: number | null;
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
                /** @description Unique; accepted wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
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
                /** @description After a raise: callers who send no price (MCP) pay `amountUntilThen` until `effectiveAt`, then `amount`. `costUsdc` must always be `pricing.amount`. */
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
                /** @description For comparison: the fixed price, or the price of a call with 1,000 input tokens, at the highest price of input, and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of successful calls of the last seven days, recent ones weighted more. Counts charged calls, and failed ones that would have been charged, of other wallets that have deposited, at the current price or above. Null while there are too few. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean duration of the successful calls, in ms; null while there are too few.
                 */
                latencyMs: number | null;
                /** @description Output tokens per second of the successful calls of a model, over whole calls; null while there are too few, and for services at a fixed price. */
                tokensPerSecond: number | null;
            } | {
                serviceId: string;
                serviceName: string;
                /** @description Unique; accepted wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
                targetVerified: boolean;
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price per million input tokens read from a cache; null: the input price. */
                cacheReadPricePer1M: string | null;
                /** @description Price per million input tokens written to a cache; null: the input price. */
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
                 * @description Input tokens held for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
                 */
                contextTokens: number | null;
                /** @enum {string} */
                llmDialect: "openai" | "anthropic";
                /**
                 * @description `embeddings`: takes `input` at `POST /v1/embeddings` only; `chat`: any other model.
                 * @enum {string}
                 */
                modelKind: "chat" | "embeddings";
                /** @description Services of the same family offer the same model; null: it is of none. */
                modelFamily: string | null;
                /** @description What the model takes as input, as its provider states it; null: not stated. */
                inputModalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
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
                    /** @description Price per million input tokens read from a cache; null: the input price. */
                    cacheReadPricePer1M: string | null;
                    /** @description Price per million input tokens written to a cache; null: the input price. */
                    cacheWritePricePer1M: string | null;
                    /** Format: int32 */
                    defaultMaxOutputTokens: number;
                    maxAutoHoldUsdc: string;
                    holdBufferMultiplier: number;
                    /**
                     * Format: int32
                     * @description Input tokens held for an image, a sound or a file in base64.
                     */
                    mediaTokens: number;
                    /**
                     * Format: int32
                     * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
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
                /** @description For comparison: the fixed price, or the price of a call with 1,000 input tokens, at the highest price of input, and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of successful calls of the last seven days, recent ones weighted more. Counts charged calls, and failed ones that would have been charged, of other wallets that have deposited, at the current price or above. Null while there are too few. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean duration of the successful calls, in ms; null while there are too few.
                 */
                latencyMs: number | null;
                /** @description Output tokens per second of the successful calls of a model, over whole calls; null while there are too few, and for services at a fixed price. */
                tokensPerSecond: number | null;
            })[];
            services: ({
                serviceId: string;
                serviceName: string;
                /** @description Unique; accepted wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
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
                /** @description After a raise: callers who send no price (MCP) pay `amountUntilThen` until `effectiveAt`, then `amount`. `costUsdc` must always be `pricing.amount`. */
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
                /** @description For comparison: the fixed price, or the price of a call with 1,000 input tokens, at the highest price of input, and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of successful calls of the last seven days, recent ones weighted more. Counts charged calls, and failed ones that would have been charged, of other wallets that have deposited, at the current price or above. Null while there are too few. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean duration of the successful calls, in ms; null while there are too few.
                 */
                latencyMs: number | null;
                /** @description Output tokens per second of the successful calls of a model, over whole calls; null while there are too few, and for services at a fixed price. */
                tokensPerSecond: number | null;
            } | {
                serviceId: string;
                serviceName: string;
                /** @description Unique; accepted wherever a service id is. */
                agentToolName: string;
                summary: string;
                description: string;
                tags: string[];
                /** @enum {string} */
                status: "active" | "inactive" | "suspended" | "deleted";
                isActive: boolean;
                /** @description Whether a call would find a healthy target now. */
                runtimeAvailable: boolean;
                /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
                targetVerified: boolean;
                inputPricePer1MTokensUsdc: string;
                outputPricePer1MTokensUsdc: string;
                /** @description Price per million input tokens read from a cache; null: the input price. */
                cacheReadPricePer1M: string | null;
                /** @description Price per million input tokens written to a cache; null: the input price. */
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
                 * @description Input tokens held for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
                 */
                contextTokens: number | null;
                /** @enum {string} */
                llmDialect: "openai" | "anthropic";
                /**
                 * @description `embeddings`: takes `input` at `POST /v1/embeddings` only; `chat`: any other model.
                 * @enum {string}
                 */
                modelKind: "chat" | "embeddings";
                /** @description Services of the same family offer the same model; null: it is of none. */
                modelFamily: string | null;
                /** @description What the model takes as input, as its provider states it; null: not stated. */
                inputModalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
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
                    /** @description Price per million input tokens read from a cache; null: the input price. */
                    cacheReadPricePer1M: string | null;
                    /** @description Price per million input tokens written to a cache; null: the input price. */
                    cacheWritePricePer1M: string | null;
                    /** Format: int32 */
                    defaultMaxOutputTokens: number;
                    maxAutoHoldUsdc: string;
                    holdBufferMultiplier: number;
                    /**
                     * Format: int32
                     * @description Input tokens held for an image, a sound or a file in base64.
                     */
                    mediaTokens: number;
                    /**
                     * Format: int32
                     * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
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
                /** @description For comparison: the fixed price, or the price of a call with 1,000 input tokens, at the highest price of input, and 500 output tokens. */
                typicalPriceUsdc: string;
                /** @description Share of successful calls of the last seven days, recent ones weighted more. Counts charged calls, and failed ones that would have been charged, of other wallets that have deposited, at the current price or above. Null while there are too few. */
                successRate: number | null;
                /**
                 * Format: int64
                 * @description Mean duration of the successful calls, in ms; null while there are too few.
                 */
                latencyMs: number | null;
                /** @description Output tokens per second of the successful calls of a model, over whole calls; null while there are too few, and for services at a fixed price. */
                tokensPerSecond: number | null;
            })[];
        };
        SearchServicesBody: {
            /** @description Free text; tolerates misspelt and incomplete words. Absent: all services. */
            query?: string | null;
            /** @description Tags that a service must have, all of them; case-insensitive. */
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
            /** @description Excludes services with too few calls. */
            minSuccessRate?: number | null;
            /**
             * Format: int32
             * @description Excludes services with too few calls.
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
            /** @description Unique; accepted wherever a service id is. */
            agentToolName: string;
            summary: string;
            description: string;
            tags: string[];
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            isActive: boolean;
            /** @description Whether a call would find a healthy target now. */
            runtimeAvailable: boolean;
            /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
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
            /** @description After a raise: callers who send no price (MCP) pay `amountUntilThen` until `effectiveAt`, then `amount`. `costUsdc` must always be `pricing.amount`. */
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
                    healthPath: string | null;
                    isHealthy: boolean;
                    /**
                     * Format: int64
                     * @description Unix seconds; null before its first probe.
                     */
                    lastCheckedAt: number | null;
                }[];
                request: {
                    [key: string]: unknown;
                };
                response: {
                    [key: string]: unknown;
                };
                /**
                 * Format: int32
                 * @description Time to a whole answer, and to the head of a stream.
                 */
                timeoutMs: number;
                /**
                 * Format: int32
                 * @description Time that a stream may bring nothing after its head.
                 */
                streamIdleTimeoutMs: number;
                /**
                 * Format: int32
                 * @description Time that a stream may take after its head.
                 */
                streamMaxMs: number;
                /**
                 * @description `json`: `payload.body` as JSON. `form`: its members as application/x-www-form-urlencoded. `multipart`: as parts of multipart/form-data, each a text or `{base64, filename?, contentType?}`. `text`: `payload.body` is a string, sent unchanged.
                 * @enum {string}
                 */
                encoding: "json" | "form" | "multipart" | "text";
                /** @description Content type of `text` bodies; null: text/plain in UTF-8. */
                contentType: string | null;
            };
            healthCheck: {
                /** @description Relative to the origin of each target; absent: the target's own URL. */
                path?: string;
                /** Format: int32 */
                timeoutMs?: number;
                /** @description Healthy status codes; default: all below 500. */
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
            /** @description Null while it is not suspended. */
            suspension: {
                /** Format: date-time */
                suspendedAt: string;
                reason: string | null;
            } | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        } | {
            serviceId: string;
            serviceName: string;
            /** @description Unique; accepted wherever a service id is. */
            agentToolName: string;
            summary: string;
            description: string;
            tags: string[];
            /** @enum {string} */
            status: "active" | "inactive" | "suspended" | "deleted";
            isActive: boolean;
            /** @description Whether a call would find a healthy target now. */
            runtimeAvailable: boolean;
            /** @description Whether every target named the wallet of the service in `/.well-known/farebox.json` when the targets last changed. */
            targetVerified: boolean;
            inputPricePer1MTokensUsdc: string;
            outputPricePer1MTokensUsdc: string;
            /** @description Price per million input tokens read from a cache; null: the input price. */
            cacheReadPricePer1M: string | null;
            /** @description Price per million input tokens written to a cache; null: the input price. */
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
             * @description Input tokens held for an image, a sound or a file in base64.
             */
            mediaTokens: number;
            /**
             * Format: int32
             * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
             */
            contextTokens: number | null;
            /** @enum {string} */
            llmDialect: "openai" | "anthropic";
            /**
             * @description `embeddings`: takes `input` at `POST /v1/embeddings` only; `chat`: any other model.
             * @enum {string}
             */
            modelKind: "chat" | "embeddings";
            /** @description Services of the same family offer the same model; null: it is of none. */
            modelFamily: string | null;
            /** @description What the model takes as input, as its provider states it; null: not stated. */
            inputModalities: ("text" | "image" | "audio" | "video" | "file")[] | null;
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
                /** @description Price per million input tokens read from a cache; null: the input price. */
                cacheReadPricePer1M: string | null;
                /** @description Price per million input tokens written to a cache; null: the input price. */
                cacheWritePricePer1M: string | null;
                /** Format: int32 */
                defaultMaxOutputTokens: number;
                maxAutoHoldUsdc: string;
                holdBufferMultiplier: number;
                /**
                 * Format: int32
                 * @description Input tokens held for an image, a sound or a file in base64.
                 */
                mediaTokens: number;
                /**
                 * Format: int32
                 * @description Input tokens held for a prompt that refers to context; null: such prompts are refused.
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
                    healthPath: string | null;
                    isHealthy: boolean;
                    /**
                     * Format: int64
                     * @description Unix seconds; null before its first probe.
                     */
                    lastCheckedAt: number | null;
                }[];
                request: {
                    [key: string]: unknown;
                };
                response: {
                    [key: string]: unknown;
                };
                /**
                 * Format: int32
                 * @description Time to a whole answer, and to the head of a stream.
                 */
                timeoutMs: number;
                /**
                 * Format: int32
                 * @description Time that a stream may bring nothing after its head.
                 */
                streamIdleTimeoutMs: number;
                /**
                 * Format: int32
                 * @description Time that a stream may take after its head.
                 */
                streamMaxMs: number;
                /**
                 * @description `json`: `payload.body` as JSON. `form`: its members as application/x-www-form-urlencoded. `multipart`: as parts of multipart/form-data, each a text or `{base64, filename?, contentType?}`. `text`: `payload.body` is a string, sent unchanged.
                 * @enum {string}
                 */
                encoding: "json" | "form" | "multipart" | "text";
                /** @description Content type of `text` bodies; null: text/plain in UTF-8. */
                contentType: string | null;
            };
            healthCheck: {
                /** @description Relative to the origin of each target; absent: the target's own URL. */
                path?: string;
                /** Format: int32 */
                timeoutMs?: number;
                /** @description Healthy status codes; default: all below 500. */
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
            /** @description Null while it is not suspended. */
            suspension: {
                /** Format: date-time */
                suspendedAt: string;
                reason: string | null;
            } | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            upstreamModel: string | null;
            /** @enum {string|null} */
            outputLimitField: "max_tokens" | "max_completion_tokens" | null;
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
            /** @description Removes the monthly cap. */
            allowUnlimited?: boolean;
            /** @description Cap per UTC day; null: none. */
            dailyLimitUsdc?: (string | number) | null;
            /** @description Cap on one call; null: none. */
            perCallLimitUsdc?: (string | number) | null;
        };
        SettleX402PaymentAnswer: {
            success: boolean;
            errorReason?: string;
            transaction: string | "";
            network: string;
            payer: string;
        };
        SettleX402PaymentBody: {
            /** Format: int64 */
            x402Version?: number;
            paymentPayload: {
                /** @constant */
                x402Version: 2;
                accepted: {
                    scheme: string;
                    network: string;
                };
                payload: {
                    signature: string;
                    authorization: {
                        from: string;
                        to: string;
                        value: string;
                        validAfter: string;
                        validBefore: string;
                        nonce: string;
                    };
                };
            } | {
                /** @constant */
                x402Version: 1;
                scheme: string;
                network: string;
                payload: {
                    signature: string;
                    authorization: {
                        from: string;
                        to: string;
                        value: string;
                        validAfter: string;
                        validBefore: string;
                        nonce: string;
                    };
                };
            };
            paymentRequirements: {
                scheme: string;
                network: string;
                asset: string;
                payTo: string;
                amount?: string;
                maxAmountRequired?: string;
            };
        };
        SigningSecret: {
            /** @description `keyid` of the signatures made with it. */
            keyId: string;
            /**
             * Format: date-time
             * @description When it starts to sign. A gateway may use the previous one for two more seconds.
             */
            signsFrom: string;
            /** Format: date-time */
            createdAt: string;
        };
        SubmitFeedbackAnswer: {
            /** @constant */
            status: "success";
            feedbackId: string;
            /** @description Whether text that looked like a secret was redacted. */
            redacted: boolean;
            supportCaseCreated: boolean;
            /** @description Present if a support task was created. */
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
             * @description Stored in the audit log. The owner of what is suspended reads it.
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
             * @description Stored in the audit log. The owner of what is suspended reads it.
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
                type: "deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
                /** @enum {string} */
                status: "pending" | "delivered" | "failed";
                /** Format: int64 */
                attempts: number;
                /**
                 * Format: int32
                 * @description Status of the last response.
                 */
                responseStatus: number | null;
                /**
                 * @description Error of the last attempt.
                 * @enum {string|null}
                 */
                error: "status" | "timeout" | "connect" | "reset" | "redirect" | "blocked_address" | "too_large" | "encoding" | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastAttemptAt: string | null;
                /**
                 * Format: date-time
                 * @description Null unless it is pending and the webhook active.
                 */
                nextAttemptAt: string | null;
                payload: {
                    /** @enum {string} */
                    type: "deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated" | "webhook.test";
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
             * @description Input tokens read from a cache. Absent in the stored answers of older gateways.
             */
            cacheReadTokens?: number;
            /**
             * Format: int32
             * @description Input tokens written to a cache. Absent in the stored answers of older gateways.
             */
            cacheWriteTokens?: number;
            /**
             * Format: int32
             * @description Total stated by the provider. Present only if it differs from input plus output, which are charged.
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
                    /** @description Whether the author has registered a service. */
                    isProvider?: boolean;
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
                    /** @description Whether the author has registered a service. */
                    isProvider?: boolean;
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
        UpdateAlertSettingsAnswer: {
            /** @constant */
            status: "success";
            settings: {
                budgetPercents: (80 | 100)[];
                balanceBelowUsdc: string | null;
                failureRate: {
                    /**
                     * Format: int32
                     * @description Alert above this share of failed calls.
                     */
                    percent: number;
                    /**
                     * Format: int32
                     * @description Minimum number of calls in the last hour.
                     */
                    minCalls: number;
                } | null;
                byEmail: boolean;
                /** @description To the webhooks that subscribe to the type of the alert. */
                byWebhook: boolean;
                /**
                 * @description Whether mail can be sent: to a verified address, unless `notifications` of the profile is false or the gateway sends no mail.
                 * @enum {string}
                 */
                emailStatus: "ready" | "no_address" | "off_in_profile" | "no_mail_server";
                /**
                 * Format: date-time
                 * @description Null if nothing was ever set.
                 */
                updatedAt: string | null;
            };
        };
        UpdateAlertSettingsBody: {
            /** @description Alert when a credential has used this share of its credit or calls, in percent. */
            budgetPercents?: (80 | 100)[];
            /** @description Alert when the balance, holds included, falls below; null: off. */
            balanceBelowUsdc?: (string | number) | null;
            /** @description Null: off. */
            failureRate?: {
                /**
                 * Format: int32
                 * @description Alert above this share of failed calls.
                 */
                percent: number;
                /**
                 * Format: int32
                 * @description Minimum number of calls in the last hour.
                 */
                minCalls: number;
            } | null;
            byEmail?: boolean;
            byWebhook?: boolean;
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
             * @description Cap on calls over its lifetime.
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
            /** @description Alias of `expiresAt`. */
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
             * @description Cap on calls over its lifetime.
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
            /** @description Alias of `expiresAt`. */
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
             * @description Address that is not confirmed yet.
             */
            pendingEmail: string | null;
            /**
             * @description `locked`: five wrong codes; a resend or another address unlocks.
             * @enum {string}
             */
            emailVerificationStatus: "none" | "pending" | "verified" | "locked";
            /**
             * Format: int32
             * @description Verification mails left today (UTC).
             */
            emailVerificationSendsRemaining: number;
            /** @description Whether to email the wallet about events, such as alerts. Verification codes are always sent. */
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
                 * @description Address that is not confirmed yet.
                 */
                pendingEmail: string | null;
                /**
                 * @description `locked`: five wrong codes; a resend or another address unlocks.
                 * @enum {string}
                 */
                emailVerificationStatus: "none" | "pending" | "verified" | "locked";
                /**
                 * Format: int32
                 * @description Verification mails left today (UTC).
                 */
                emailVerificationSendsRemaining: number;
                /** @description Whether to email the wallet about events, such as alerts. Verification codes are always sent. */
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
             * @description A code is mailed to a new address, which stays pending until it is confirmed. The verified address cancels a pending change; null removes both.
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
            /** @description Read-only; ignored in requests. */
            readonly serviceId?: unknown;
            /** @enum {string} */
            status?: "active" | "inactive" | "suspended" | "deleted" | "paused";
            isActive?: boolean;
            /** @description Read-only; ignored in requests. */
            readonly runtimeAvailable?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly targetVerified?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly scheduledPricing?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly ownerAddress?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly hasUpstreamHeaders?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly health?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly suspension?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly createdAt?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly updatedAt?: unknown;
            /** @description Read-only; ignored in requests. */
            readonly modelKind?: unknown;
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
            inputModalities?: ("text" | "image" | "audio" | "video" | "file")[] | null;
            /** @enum {string|null} */
            outputLimitField?: "max_tokens" | "max_completion_tokens" | null;
            upstreamModel?: string | null;
            invoke?: {
                /** @enum {string} */
                method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
                targets: {
                    /**
                     * Format: uri-template
                     * @description A `{name}` in its path is filled from `payload.path` of the call.
                     */
                    url: string;
                    /** @description What probes ask for at the origin of this target; absent: `healthCheck.path`, else the URL up to its first `{`. */
                    healthPath?: string | null;
                    /** @default 1 */
                    weight?: number;
                    /** @description Read-only; ignored in requests. */
                    readonly isHealthy?: unknown;
                    /** @description Read-only; ignored in requests. */
                    readonly lastCheckedAt?: unknown;
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
                 * @description Time to a whole answer, and to the head of a stream.
                 * @default 30000
                 */
                timeoutMs?: number;
                /**
                 * Format: int32
                 * @description Time that a stream may bring nothing after its head.
                 * @default 60000
                 */
                streamIdleTimeoutMs?: number;
                /**
                 * Format: int32
                 * @description Time that a stream may take after its head.
                 * @default 600000
                 */
                streamMaxMs?: number;
                /**
                 * @description How `payload.body` is sent to the targets.
                 * @default json
                 * @enum {string}
                 */
                encoding?: "json" | "form" | "multipart" | "text";
                /** @description Content type of `text` bodies; absent: text/plain in UTF-8. */
                contentType?: string | null;
            };
            healthCheck?: {
                /** @description Relative to the origin of each target; absent: the target's own URL. */
                path?: string;
                /** Format: int32 */
                timeoutMs?: number;
                /** @description Healthy status codes; default: all below 500. */
                successCodes?: number[];
                /** @enum {string} */
                method?: "GET" | "HEAD" | "POST" | "OPTIONS";
                /**
                 * Format: int32
                 * @description Consecutive successful probes until a target is healthy.
                 * @default 1
                 */
                healthyThreshold?: number;
                /**
                 * Format: int32
                 * @description Consecutive failed probes until a target is unhealthy.
                 * @default 1
                 */
                unhealthyThreshold?: number;
            } | null;
            upstreamHeaders?: {
                [key: string]: string;
            } | null;
            /**
             * @description What signs requests to the targets: a key of the gateway (Ed25519, the default), or the signing secret of the wallet (HMAC-SHA256; verifying takes 3 us instead of 100).
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
                events: ("deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
                /** @enum {string} */
                status: "active" | "disabled";
                /**
                 * @description `owner`: disabled by you. `gone`: the receiver answered 410. `failing`: no success for five days.
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
                 * @description Until then deliveries are also signed with the previous secret.
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
            /** @description URL that receives a POST per event; on the public internet. */
            url?: string;
            events?: ("deposit.credited" | "balance.low" | "budget.reached" | "failure_rate.high" | "credential.exhausted" | "invocation.failed" | "service.down" | "service.up" | "withdrawal.updated")[];
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
             * @description Input tokens read from a cache.
             */
            cacheReadTokens: number | null;
            /**
             * Format: int32
             * @description Input tokens written to a cache.
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
                 * @description Address that is not confirmed yet.
                 */
                pendingEmail: string | null;
                /**
                 * @description `locked`: five wrong codes; a resend or another address unlocks.
                 * @enum {string}
                 */
                emailVerificationStatus: "none" | "pending" | "verified" | "locked";
                /**
                 * Format: int32
                 * @description Verification mails left today (UTC).
                 */
                emailVerificationSendsRemaining: number;
                /** @description Whether to email the wallet about events, such as alerts. Verification codes are always sent. */
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
        VerifyX402PaymentAnswer: {
            isValid: boolean;
            invalidReason?: string;
            payer: string;
        };
        VerifyX402PaymentBody: {
            /** Format: int64 */
            x402Version?: number;
            paymentPayload: {
                /** @constant */
                x402Version: 2;
                accepted: {
                    scheme: string;
                    network: string;
                };
                payload: {
                    signature: string;
                    authorization: {
                        from: string;
                        to: string;
                        value: string;
                        validAfter: string;
                        validBefore: string;
                        nonce: string;
                    };
                };
            } | {
                /** @constant */
                x402Version: 1;
                scheme: string;
                network: string;
                payload: {
                    signature: string;
                    authorization: {
                        from: string;
                        to: string;
                        value: string;
                        validAfter: string;
                        validBefore: string;
                        nonce: string;
                    };
                };
            };
            paymentRequirements: {
                scheme: string;
                network: string;
                asset: string;
                payTo: string;
                amount?: string;
                maxAmountRequired?: string;
            };
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
            /** @description Alias of withdrawalId. */
            intentId: string;
            /** @enum {string} */
            statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            amountUsdc: string;
            /** @description While it can be redeemed; null while the withdrawal waits for a review. */
            ticket: components["schemas"]["WithdrawalTicket"] | null;
        };
        WithdrawFeesBody: {
            amountUsdc: string | number;
            /** @description Wallet to pay; default: your own. */
            destinationAddress?: string;
            /** @description Stored in the audit log. */
            reason?: string | null;
        };
        Withdrawal: {
            withdrawalId: string;
            /** @description Alias of withdrawalId. */
            intentId: string;
            amountUsdc: string;
            /** @description Part that was earned from vouchers. If positive, the withdrawal needs a review. */
            promotionalUsdc: string;
            /**
             * @description Earnings of its wallet, or platform fees that an admin pays out.
             * @enum {string}
             */
            source: "earnings" | "fees";
            /** @enum {string} */
            status: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            /** @enum {string} */
            statusLabel: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
            /** @description Null unless it can be redeemed. */
            ticket: components["schemas"]["WithdrawalTicket"] | null;
            /** @description Transaction that redeemed it. */
            txHash: string | null;
            /** @description Reason given by its reviewer. */
            reason: string | null;
            /** @description Why no ticket was issued when it was opened; empty if one was. */
            reviewCauses: ("vouchers" | "wallet_limit" | "total_limit" | "vault_illiquid" | "tickets_stopped")[];
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
         *     `UNAUTHORIZED`: No valid wallet session. Sign in again.
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
         * @description `CREDENTIAL_INACTIVE`: The agent credential is revoked or expired. Its owner can mint another.
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
         * @description `CREDENTIAL_INACTIVE`: The agent credential is revoked or expired. Its owner can mint another.
         *
         *     `CREDENTIAL_INVALID`: A valid agent credential is required.
         *
         *     `UNAUTHORIZED`: No valid wallet session. Sign in again.
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
        DepositNotConfirmedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
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
        DepositNotFoundOrNotFoundLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DepositNotFoundOrNotFoundError"];
            };
        };
        /** @description `DEPOSIT_REJECTED`: The transaction is not a deposit that can be credited. */
        DepositRejectedLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
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
         * @description `FORBIDDEN`: This wallet is not allowed to do this.
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
         * @description `FORBIDDEN`: This wallet is not allowed to do this.
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
        /** @description `IDEMPOTENCY_CONFLICT`: This idempotency key was used with another request. */
        IdempotencyConflictLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictError"];
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
         *     `INVALID_STATE`: The state of the record does not allow this.
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
        /**
         * @description `INVALID_PAYLOAD`: The request body is not valid.
         *
         *     `INVALID_REQUEST`: The request is malformed.
         *
         *     `UNSAFE_TARGET_URL`: The target URL is not allowed.
         */
        InvalidPayloadOrInvalidRequestOrUnsafeTargetUrlLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Access-Control-Allow-Origin": components["headers"]["Access-Control-Allow-Origin"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
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
        /** @description `INVALID_STATE`: The state of the record does not allow this. */
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
         *     `PRICE_MISMATCH`: The price differs from the one that was sent. Discover again and retry.
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
        /** @description `LOOP_DETECTED`: Loop detected: a provider sent a request of this gateway back to it. */
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
        /** @description `LOOP_DETECTED`: Loop detected: a provider sent a request of this gateway back to it. */
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
         * @description `SERVICE_NOT_ALLOWED`: This credential is not allowed to call this service. Its owner can allow it.
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
        /** @description `UNAUTHORIZED`: No valid wallet session. Sign in again. */
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
        /** @description `UNAUTHORIZED`: No valid wallet session. Sign in again. */
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
        /** @description `UPSTREAM_ERROR`: The provider returned an error. */
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
        /** @description Identifies this request in logs; the value of the request if it sent one. */
        "X-Request-Id": string;
        /** @description `*` on public reads without credentials; otherwise the origin of the page if the operator allows it. */
        "Access-Control-Allow-Origin": string;
        /** @description Seconds to wait before a retry. */
        "Retry-After": number;
        /** @description Remaining requests (`r`) and seconds until the reset (`t`), by policy. */
        RateLimit: string;
        /** @description Requests (`q`) allowed per window of seconds (`w`), by policy. */
        "RateLimit-Policy": string;
        /** @description `true` when this is the stored answer of an earlier request with the same key. */
        "Idempotent-Replayed": "true";
    };
    pathItems: never;
}
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
    getPaidResource: {
        parameters: {
            query?: {
                /** @description Maximum cost of the call at a model, in USDC. Other parameters are arguments of the service. */
                maxCostUsdc?: string;
            };
            header?: never;
            path: {
                /** @description A service id or an agentToolName. */
                service: string;
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
                    "application/json": components["schemas"]["GetPaidResourceAnswer"];
                    "text/event-stream": string;
                    "application/octet-stream": string;
                    "image/*": string;
                    "audio/*": string;
                    "video/*": string;
                };
            };
        };
    };
    callPaidResource: {
        parameters: {
            query?: {
                /** @description Maximum cost of the call at a model, in USDC. Other parameters are arguments of the service. */
                maxCostUsdc?: string;
            };
            header?: never;
            path: {
                /** @description A service id or an agentToolName. */
                service: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallPaidResourceBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallPaidResourceAnswer"];
                    "text/event-stream": string;
                    "application/octet-stream": string;
                    "image/*": string;
                    "audio/*": string;
                    "video/*": string;
                };
            };
        };
    };
    verifyX402Payment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyX402PaymentBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyX402PaymentAnswer"];
                };
            };
        };
    };
    settleX402Payment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettleX402PaymentBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettleX402PaymentAnswer"];
                };
            };
        };
    };
    listX402Kinds: {
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
                    "application/json": components["schemas"]["ListX402KindsAnswer"];
                };
            };
        };
    };
    readProtectedResource: {
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
                    "application/json": components["schemas"]["ReadProtectedResourceAnswer"];
                };
            };
        };
    };
    readProtectedMcp: {
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
                    "application/json": components["schemas"]["ReadProtectedMcpAnswer"];
                };
            };
        };
    };
    readAuthorizationServer: {
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
                    "application/json": components["schemas"]["ReadAuthorizationServerAnswer"];
                };
            };
        };
    };
    registerOauthClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterOauthClientBody"];
            };
        };
        responses: never;
    };
    redeemOauthCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["RedeemOauthCodeBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedeemOauthCodeAnswer"];
                };
            };
        };
    };
    revokeOauthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["RevokeOauthTokenBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeOauthTokenAnswer"];
                };
            };
        };
    };
    readRegistry: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description Maximum entries per page. */
                pageSize?: number;
                /** @description Free text over names, summaries, hosts of endpoints, roles and tags. */
                q?: string;
                /** @description A whole tag, case-insensitive. */
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
                /** @description Wallet that will sign. Required. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
    listBookChecks: {
        parameters: {
            query?: {
                /** @description Number of 24-hour periods, up to now. */
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
                    "application/json": components["schemas"]["ListBookChecksAnswer"];
                };
            };
        };
    };
    readInclusion: {
        parameters: {
            query?: {
                /** @description Root of the tree; default: the newest. */
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
    readStatus: {
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
                    "application/json": components["schemas"]["ReadStatusAnswer"];
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
                cursor?: string;
                /** @description Excludes revoked and expired credentials. */
                active_only?: "true" | "false" | "1" | "0";
                /** @description Only this credential. */
                id?: string;
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Identifier, from the response that created it. */
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
    readAuthorization: {
        parameters: {
            query?: {
                /** @description `code`. */
                response_type?: string;
                /** @description As registered. */
                client_id?: string;
                /** @description Redirect URI that the client registered. */
                redirect_uri?: string;
                /** @description SHA-256 of the verifier, base64url (RFC 7636). */
                code_challenge?: string;
                /** @description `S256`. */
                code_challenge_method?: string;
                /** @description Passed back to the client. */
                state?: string;
                /** @description URL of `/mcp` or of the gateway (RFC 8707); absent: `/mcp`. */
                resource?: string;
                /** @description Ignored: there is one scope. */
                scope?: string;
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
                    "application/json": components["schemas"]["ReadAuthorizationAnswer"];
                };
            };
        };
    };
    authorizeClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthorizeClientBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizeClientAnswer"];
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
    draftServicesFromOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DraftServicesFromOpenapiBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftServicesFromOpenapiAnswer"];
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description Free text; tolerates misspelt and incomplete words. No wildcards. */
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
                /** @description Free text; tolerates misspelt and incomplete words. */
                q?: string;
                /** @description A whole tag, case-insensitive. */
                tag?: string;
                /** @description Services of this provider only: its wallet address. */
                provider?: string;
                /** @description Priced per call or per token. */
                kind?: "api" | "llm";
                /** @description Highest fixed price; excludes models. An announced rise of a price counts already. */
                maxPricePerCallUsdc?: string | number;
                /** @description Highest price of a million input tokens, cached or not; excludes services at a fixed price. */
                maxInputPricePer1M?: string | number;
                /** @description Highest price of a million output tokens; excludes services at a fixed price. */
                maxOutputPricePer1M?: string | number;
                /** @description Smallest context of a model, in tokens; above 0, excludes services that state none. */
                minContextLength?: number;
                /** @description Default: `best_match` with a text, `newest` without one. */
                sort?: "best_match" | "lowest_price" | "fastest" | "highest_reliability" | "newest";
                /** @description From 1. */
                page?: number;
                /** @description Maximum entries per page. */
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
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
                /** @description Maximum records per target, newest first. */
                limitPerTarget?: number;
                /** @description Length of the period, in hours. */
                hours?: number;
            };
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                /** @description Maximum records per target, newest first. */
                limitPerTarget?: number;
                /** @description Length of the period, in hours. */
                hours?: number;
            };
            header?: never;
            path: {
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
                cursor?: string;
                /** @description Only calls of this credential. */
                credentialId?: string;
                /** @description Only calls of this service: an id or an agentToolName. */
                serviceId?: string;
                /** @description Only calls of services of this model: its `modelFamily`, or else the agentToolName. */
                model?: string;
                /** @description Only calls under this key: a call, or the attempts of a request at several models. */
                idempotencyKey?: string;
                /** @description Only calls with this status. FAILED: with either of the failed ones. */
                status?: "PENDING" | "PROCESSING" | "SUCCEEDED" | "FAILED_RETRYABLE" | "FAILED_FINAL" | "FAILED";
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
                /** @description Number of UTC days, including today. Not used with `from`. */
                days?: number;
                /** @description Only calls from this time on. */
                from?: string;
                /** @description Only calls before this time; needs `from`. Default: now. */
                to?: string;
                /** @description Width of `buckets`, in UTC; a week begins on Monday. Hours: for at most eight days. */
                bucket?: "hour" | "day" | "week";
                /** @description Calls with the same one are a series. */
                by?: "service" | "credential" | "model";
                /** @description Number of series, by default 8; all other calls are one more. */
                series?: number;
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
                    "text/csv": string;
                };
            };
        };
    };
    listProviderInvocations: {
        parameters: {
            query?: {
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
                cursor?: string;
                /** @description Only calls of this service: an id or an agentToolName. */
                serviceId?: string;
                /** @description Only calls with this status. FAILED: with either of the failed ones. */
                status?: "PENDING" | "PROCESSING" | "SUCCEEDED" | "FAILED_RETRYABLE" | "FAILED_FINAL" | "FAILED";
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
                /** @description Identifier, from the response that created it. */
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
    readTraffic: {
        parameters: {
            query?: {
                /** @description Start of the period; default: 24 hours before its end. */
                from?: string;
                /** @description End of the period, exclusive; default: now. */
                to?: string;
                /** @description Width of the buckets of `series`, in UTC; weeks start on Monday. */
                bucket?: "minute" | "hour" | "day" | "week";
                /** @description Only calls of this service: an id or an agentToolName. */
                serviceId?: string;
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
                    "application/json": components["schemas"]["ReadTrafficAnswer"];
                };
            };
        };
    };
    openWithdrawal: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
                /** @description First UTC day of byService and byDay. */
                from?: string;
                /** @description Last UTC day; default: today. */
                to?: string;
                /** @description Rows of the table, with `Accept: text/csv`. */
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
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
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
                /** @description Page number, from 1. */
                page?: number;
                /** @description Maximum entries per page. */
                pageSize?: number;
                /** @description Only those of this category. */
                category?: "general" | "providers" | "agents" | "announcements" | "support";
                /** @description Text to look for. */
                q?: string;
                /** @description Sort order. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
    listAlerts: {
        parameters: {
            query?: {
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
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
                    "application/json": components["schemas"]["ListAlertsAnswer"];
                };
            };
        };
    };
    readAlertSettings: {
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
                    "application/json": components["schemas"]["ReadAlertSettingsAnswer"];
                };
            };
        };
    };
    updateAlertSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAlertSettingsBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateAlertSettingsAnswer"];
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
                cursor?: string;
                /** @description Only those with this status. */
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description Identifier, from the response that created it. */
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Identifier, from the response that created it. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
                cursor?: string;
                /** @description Only those with this status. */
                status?: "PENDING_REVIEW" | "APPROVED_AUTO" | "APPROVED_MANUAL" | "COMPLETED" | "CANCELLED" | "REJECTED";
                /** @description Only those of this wallet. */
                wallet?: string;
                /** @description Which come first. */
                order?: "newest" | "oldest";
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
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                /** @description Service id or `agentToolName`; the last three former names work for 30 days. */
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
                cursor?: string;
                /** @description Acts of this admin only. */
                actor?: string;
                /** @description Acts on this record only: its id, or the address of a wallet. */
                target?: string;
                /** @description Acts of this kind only. */
                action?: string;
                /** @description Suspensions that have not been lifted only, once for each service or wallet. */
                inForce?: "true";
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
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
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
    readGatewayHealth: {
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
                    "application/json": components["schemas"]["ReadGatewayHealthAnswer"];
                };
            };
        };
    };
    listSupportTasks: {
        parameters: {
            query?: {
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
                cursor?: string;
                /** @description Only those with this status. */
                status?: "open" | "closed";
                /** @description Which come first. */
                order?: "newest" | "oldest";
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
    readSupportTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of a support task. */
                taskId: string;
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
                    "application/json": components["schemas"]["ReadSupportTaskAnswer"];
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
                /** @description Maximum entries per page. Values out of range are clamped. */
                limit?: number;
                /** @description `nextCursor` of the previous page; absent for the first page. */
                cursor?: string;
                /** @description Only those with this status. */
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
            header?: {
                /**
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
                 * @example order-4711
                 */
                "X-Idempotency-Key"?: string;
            };
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
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
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
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
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
    createCompletion: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
                 * @example order-4711
                 */
                "X-Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCompletionBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateCompletionAnswer"];
                    "text/event-stream": string;
                };
            };
        };
    };
    createEmbeddings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
                 * @example order-4711
                 */
                "X-Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEmbeddingsBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateEmbeddingsAnswer"];
                };
            };
        };
    };
    createMessage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes the request idempotent: sending it again has no further effect. `Idempotency-Key` is an alias.
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
    countMessageTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CountMessageTokensBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountMessageTokensAnswer"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: {
                /** @description Maximum models per page, in Anthropic's shape only. */
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
            /** @description Received. After any other status or a timeout the event is retried later. */
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
            /** @description Received. After any other status or a timeout the event is retried later. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onBudgetReached: {
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
                 *       "type": "budget.reached",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "data": {
                 *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "credentialId": "cred_01kahd5w3xqv7m2c9z4n8r6t0e",
                 *         "limit": "credential_calls",
                 *         "percent": 80,
                 *         "callsUsed": 1,
                 *         "maxCalls": 1,
                 *         "spentUsdc": "0.050000",
                 *         "creditLimit": "0.050000",
                 *         "resetInterval": "hourly",
                 *         "intervalStart": "2026-11-21T09:30:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OnBudgetReachedPayload"];
            };
        };
        responses: {
            /** @description Received. After any other status or a timeout the event is retried later. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onFailure_rateHigh: {
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
                 *       "type": "failure_rate.high",
                 *       "timestamp": "2026-11-21T09:30:00.000Z",
                 *       "data": {
                 *         "walletAddress": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *         "calls": 1,
                 *         "failures": 1,
                 *         "percent": 1,
                 *         "minCalls": 1
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OnFailure_rateHighPayload"];
            };
        };
        responses: {
            /** @description Received. After any other status or a timeout the event is retried later. */
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
            /** @description Received. After any other status or a timeout the event is retried later. */
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
            /** @description Received. After any other status or a timeout the event is retried later. */
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
            /** @description Received. After any other status or a timeout the event is retried later. */
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
            /** @description Received. After any other status or a timeout the event is retried later. */
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
            /** @description Received. After any other status or a timeout the event is retried later. */
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
  /** Book a payment of the vault that no withdrawal explains. */
  adoptRedemption: { method: 'POST', path: '/api/v1/admin/findings/{findingId}/adopt' },
  /** Approve a withdrawal under review. */
  approveWithdrawal: { method: 'POST', path: '/api/v1/admin/withdrawals/{withdrawalId}/approve' },
  /** Authorize an OAuth client. */
  authorizeClient: { method: 'POST', path: '/api/v1/oauth/authorization' },
  /** Send a Model Context Protocol message. */
  callMcp: { method: 'POST', path: '/mcp' },
  /** Call a service and pay by x402. */
  callPaidResource: { method: 'POST', path: '/x402/{service}' },
  /** Close a support task. */
  closeSupportTask: { method: 'POST', path: '/api/v1/admin/support-tasks/{taskId}/close' },
  /** Report that a ticket was redeemed. */
  completeWithdrawal: { method: 'POST', path: '/api/v1/providers/withdrawals/{withdrawalId}/complete' },
  /** Credit a claimed deposit. */
  confirmDeposit: { method: 'POST', path: '/api/v1/balance/deposit/intents/{id}/confirm' },
  /** Count the input tokens of a message. */
  countMessageTokens: { method: 'POST', path: '/v1/messages/count_tokens' },
  /** Call a model with OpenAI's chat completions. */
  createChatCompletion: { method: 'POST', path: '/v1/chat/completions', key: true },
  /** Call a model by OpenAI's completions. */
  createCompletion: { method: 'POST', path: '/v1/completions', key: true },
  /** Call a model by OpenAI's embeddings. */
  createEmbeddings: { method: 'POST', path: '/v1/embeddings', key: true },
  /** Call a model with Anthropic's messages. */
  createMessage: { method: 'POST', path: '/v1/messages', key: true },
  /** Reply to a topic. */
  createReply: { method: 'POST', path: '/api/v1/forum/topics/{topicId}/replies' },
  /** Call a model with OpenAI's responses. */
  createResponse: { method: 'POST', path: '/v1/responses', key: true },
  /** Open a topic. */
  createTopic: { method: 'POST', path: '/api/v1/forum/topics' },
  /** Create vouchers. */
  createVouchers: { method: 'POST', path: '/api/v1/admin/vouchers', key: true },
  /** Register a webhook. */
  createWebhook: { method: 'POST', path: '/api/v1/webhooks' },
  /** Delete a credential. */
  deleteCredential: { method: 'DELETE', path: '/api/v1/credentials/agent/{id}' },
  /** Delete a provider secret. */
  deleteProviderSecret: { method: 'DELETE', path: '/api/v1/secrets/provider/{id}' },
  /** Delete an inactive service. */
  deleteService: { method: 'DELETE', path: '/api/v1/services/{id}' },
  /** Delete the signing secret of my wallet. */
  deleteSigningSecret: { method: 'DELETE', path: '/api/v1/secrets/signing' },
  /** Delete a webhook. */
  deleteWebhook: { method: 'DELETE', path: '/api/v1/webhooks/{id}' },
  /** Find services that can be called now. */
  discoverServices: { method: 'GET', path: '/api/v1/services/discover' },
  /** Draft a service from a curl command. */
  draftService: { method: 'POST', path: '/api/v1/services/parse-curl' },
  /** Draft services from an OpenAPI document. */
  draftServicesFromOpenapi: { method: 'POST', path: '/api/v1/services/parse-openapi' },
  /** Call a service and pay by x402, with its arguments in the URL. */
  getPaidResource: { method: 'GET', path: '/x402/{service}' },
  /** Call a service and pay for it. */
  invokeService: { method: 'POST', path: '/api/v1/agent/invoke', key: true },
  /** Get a sign-in message. */
  issueChallenge: { method: 'GET', path: '/api/v1/auth/challenge' },
  /** Mint a credential for an agent. */
  issueCredential: { method: 'POST', path: '/api/v1/credentials/agent/issue' },
  /** Get a message to sign for a profile update. */
  issueProfileChallenge: { method: 'POST', path: '/api/v1/auth/me/profile/challenge' },
  /** Issue a provider secret. */
  issueProviderSecret: { method: 'POST', path: '/api/v1/secrets/provider/issue' },
  /** Issue the signing secret of my wallet. */
  issueSigningSecret: { method: 'POST', path: '/api/v1/secrets/signing' },
  /** List the acts of admins. */
  listAdminActs: { method: 'GET', path: '/api/v1/admin/audit-log' },
  /** List my alerts. */
  listAlerts: { method: 'GET', path: '/api/v1/alerts' },
  /** List withdrawals of all providers. */
  listAllWithdrawals: { method: 'GET', path: '/api/v1/admin/withdrawals' },
  /** Compare the vault with the books over time. */
  listBookChecks: { method: 'GET', path: '/api/v1/proof/checks' },
  /** List open disagreements between the chain and the books. */
  listChainFindings: { method: 'GET', path: '/api/v1/admin/findings' },
  /** List the audit trail of my credentials and spending policy. */
  listCredentialAuditLogs: { method: 'GET', path: '/api/v1/credentials/agent/audit-logs' },
  /** List my credentials. */
  listCredentials: { method: 'GET', path: '/api/v1/credentials/agent/list' },
  /** List my deposits. */
  listDeposits: { method: 'GET', path: '/api/v1/balance/deposits' },
  /** List the entries behind my balance. */
  listLedgerEntries: { method: 'GET', path: '/api/v1/balance/ledger' },
  /** List the tags of the market. */
  listMarketTags: { method: 'GET', path: '/api/v1/market/tags' },
  /** List the models that can be called. */
  listModels: { method: 'GET', path: '/v1/models' },
  /** List the calls of the provider's services. */
  listProviderInvocations: { method: 'GET', path: '/api/v1/provider/invocations' },
  /** List the audit trail of my provider and signing secrets. */
  listProviderSecretAuditLogs: { method: 'GET', path: '/api/v1/secrets/provider/audit-logs' },
  /** List my provider secrets. */
  listProviderSecrets: { method: 'GET', path: '/api/v1/secrets/provider/list' },
  /** List the provider's services. */
  listProviderServices: { method: 'GET', path: '/api/v1/provider/services' },
  /** List the seals over the ledger. */
  listSeals: { method: 'GET', path: '/api/v1/proof/seals' },
  /** List my services. */
  listServices: { method: 'GET', path: '/api/v1/services' },
  /** List the keys that sign requests to providers. */
  listSigningKeys: { method: 'GET', path: '/.well-known/http-message-signatures-directory' },
  /** List support tasks. */
  listSupportTasks: { method: 'GET', path: '/api/v1/admin/support-tasks' },
  /** List or search topics. */
  listTopics: { method: 'GET', path: '/api/v1/forum/topics' },
  /** List the calls that my credentials made. */
  listUsage: { method: 'GET', path: '/api/v1/usage/logs' },
  /** List vouchers, newest first. */
  listVouchers: { method: 'GET', path: '/api/v1/admin/vouchers' },
  /** List the deliveries of a webhook. */
  listWebhookDeliveries: { method: 'GET', path: '/api/v1/webhooks/{id}/deliveries' },
  /** List my webhooks. */
  listWebhooks: { method: 'GET', path: '/api/v1/webhooks' },
  /** List my withdrawals. */
  listWithdrawals: { method: 'GET', path: '/api/v1/providers/withdrawals' },
  /** The x402 payments that the facilitator takes. */
  listX402Kinds: { method: 'GET', path: '/x402/supported' },
  /** Lock a topic. */
  lockTopic: { method: 'POST', path: '/api/v1/admin/forum/topics/{topicId}/lock' },
  /** End this session. */
  logout: { method: 'POST', path: '/api/v1/auth/logout' },
  /** Claim a deposit. */
  openDeposit: { method: 'POST', path: '/api/v1/balance/deposit/intent', key: true },
  /** Withdraw earnings. */
  openWithdrawal: { method: 'POST', path: '/api/v1/providers/withdrawals/intent', key: true },
  /** Pin a topic. */
  pinTopic: { method: 'POST', path: '/api/v1/admin/forum/topics/{topicId}/pin' },
  /** Probe a service now. */
  pingService: { method: 'POST', path: '/api/v1/services/{id}/ping' },
  /** Read the settings of my alerts. */
  readAlertSettings: { method: 'GET', path: '/api/v1/alerts/settings' },
  /** Read the authorization request of an OAuth client. */
  readAuthorization: { method: 'GET', path: '/api/v1/oauth/authorization' },
  /** Read the metadata of the authorization server. */
  readAuthorizationServer: { method: 'GET', path: '/.well-known/oauth-authorization-server' },
  /** Read my balance. */
  readBalance: { method: 'GET', path: '/api/v1/balance' },
  /** Read the chain, token and vault. */
  readChain: { method: 'GET', path: '/api/v1/chain' },
  /** Read this document. */
  readContract: { method: 'GET', path: '/openapi.json' },
  /** Read the status of a credential. */
  readCredential: { method: 'GET', path: '/api/v1/credentials/agent/{id}/status' },
  /** Read my earnings. */
  readEarnings: { method: 'GET', path: '/api/v1/providers/earnings/summary' },
  /** Read the health of this gateway. */
  readGatewayHealth: { method: 'GET', path: '/api/v1/admin/health' },
  /** Read the probe results of a service. */
  readHealthHistory: { method: 'GET', path: '/api/v1/services/{id}/health/history' },
  /** Prove that my balance is included in the liabilities. */
  readInclusion: { method: 'GET', path: '/api/v1/proof/inclusion' },
  /** Read a call. */
  readInvocation: { method: 'GET', path: '/api/v1/agent/invocations/{id}' },
  /** Check that the process is alive. */
  readLiveness: { method: 'GET', path: '/health' },
  /** Read how healthy a service is. */
  readMarketHealth: { method: 'GET', path: '/api/v1/market/services/{id}/health' },
  /** Read a service of the market. */
  readMarketService: { method: 'GET', path: '/api/v1/market/services/{id}' },
  /** Read the statistics of the market. */
  readMarketStats: { method: 'GET', path: '/api/v1/market/stats' },
  /** Read the metrics of this gateway. */
  readMetrics: { method: 'GET', path: '/metrics' },
  /** Read a model. */
  readModel: { method: 'GET', path: '/v1/models/{id}' },
  /** Read my profile. */
  readProfile: { method: 'GET', path: '/api/v1/auth/me' },
  /** Find the authorization server of /mcp. */
  readProtectedMcp: { method: 'GET', path: '/.well-known/oauth-protected-resource/mcp' },
  /** Find the authorization server of this gateway. */
  readProtectedResource: { method: 'GET', path: '/.well-known/oauth-protected-resource' },
  /** Read the probe results of the provider's service. */
  readProviderServiceHealth: { method: 'GET', path: '/api/v1/provider/services/{id}/health' },
  /** Check that the gateway can serve paid calls. */
  readReadiness: { method: 'GET', path: '/ready' },
  /** Read how to register a service. */
  readRegistrationGuide: { method: 'GET', path: '/api/v1/services/registration-guide' },
  /** Read the registry of callable services. */
  readRegistry: { method: 'GET', path: '/marketplace/registry.json' },
  /** Compare the vault with the liabilities. */
  readReserves: { method: 'GET', path: '/api/v1/proof/reserves' },
  /** Read a service. */
  readService: { method: 'GET', path: '/api/v1/services/{id}' },
  /** Read the signing secret of my wallet. */
  readSigningSecret: { method: 'GET', path: '/api/v1/secrets/signing' },
  /** Sum up what my credentials have spent. */
  readSpending: { method: 'GET', path: '/api/v1/usage/summary' },
  /** Read my spending policy. */
  readSpendingPolicy: { method: 'GET', path: '/api/v1/balance/spending-limit' },
  /** Read the status of deposits and withdrawals. */
  readStatus: { method: 'GET', path: '/api/v1/status' },
  /** Read a support task. */
  readSupportTask: { method: 'GET', path: '/api/v1/admin/support-tasks/{taskId}' },
  /** Read a topic and its replies, oldest first. */
  readTopic: { method: 'GET', path: '/api/v1/forum/topics/{topicId}' },
  /** Count the calls of my services. */
  readTraffic: { method: 'GET', path: '/api/v1/providers/traffic' },
  /** Read a withdrawal. */
  readWithdrawal: { method: 'GET', path: '/api/v1/providers/withdrawals/{withdrawalId}' },
  /** Read what I can withdraw now. */
  readWithdrawalCapability: { method: 'GET', path: '/api/v1/providers/withdrawals/capability' },
  /** Check the books now. */
  reconcileNow: { method: 'POST', path: '/api/v1/admin/reconcile' },
  /** Exchange an authorization code for a token. */
  redeemOauthCode: { method: 'POST', path: '/oauth/token' },
  /** Redeem a voucher. */
  redeemVoucher: { method: 'POST', path: '/api/v1/balance/vouchers/redeem', key: true },
  /** Register an OAuth client. */
  registerOauthClient: { method: 'POST', path: '/oauth/register' },
  /** Register a service. */
  registerService: { method: 'POST', path: '/api/v1/services' },
  /** Reject a withdrawal under review. */
  rejectWithdrawal: { method: 'POST', path: '/api/v1/admin/withdrawals/{withdrawalId}/reject' },
  /** Remove a reply. */
  removeReply: { method: 'DELETE', path: '/api/v1/admin/forum/replies/{replyId}' },
  /** Remove a topic. */
  removeTopic: { method: 'DELETE', path: '/api/v1/admin/forum/topics/{topicId}' },
  /** Replay a delivery. */
  replayWebhookDelivery: { method: 'POST', path: '/api/v1/webhooks/{id}/deliveries/{deliveryId}/replay' },
  /** Report the final usage of a call. */
  reportUsage: { method: 'POST', path: '/api/v1/provider/invocations/{id}/usage' },
  /** Send a new code to my pending email. */
  resendEmailCode: { method: 'POST', path: '/api/v1/auth/email/resend-code' },
  /** Lift the suspension of a service. */
  resumeService: { method: 'POST', path: '/api/v1/admin/services/{id}/resume' },
  /** Lift the suspension of a wallet. */
  resumeWallet: { method: 'POST', path: '/api/v1/admin/wallets/{address}/resume' },
  /** Reverse a credit whose deposit is no longer on chain. */
  reverseDeposit: { method: 'POST', path: '/api/v1/admin/findings/{findingId}/reverse' },
  /** Revoke a credential. */
  revokeCredential: { method: 'POST', path: '/api/v1/credentials/agent/{id}/revoke' },
  /** Revoke a token that was minted for this client. */
  revokeOauthToken: { method: 'POST', path: '/oauth/revoke' },
  /** Rotate the token of a credential. */
  rotateCredential: { method: 'POST', path: '/api/v1/credentials/agent/{id}/rotate' },
  /** Replace the signing secret of my wallet. */
  rotateSigningSecret: { method: 'POST', path: '/api/v1/secrets/signing/rotate' },
  /** Rotate the secret of a webhook. */
  rotateWebhookSecret: { method: 'POST', path: '/api/v1/webhooks/{id}/rotate' },
  /** Browse the market. */
  searchMarket: { method: 'GET', path: '/api/v1/market/services' },
  /** Search for services to call. */
  searchServices: { method: 'POST', path: '/api/v1/agent/discovery/search' },
  /** Set my spending policy. */
  setSpendingPolicy: { method: 'PUT', path: '/api/v1/balance/spending-limit' },
  /** Settle an x402 payment to the vault, as a facilitator. */
  settleX402Payment: { method: 'POST', path: '/x402/settle' },
  /** Send feedback. */
  submitFeedback: { method: 'POST', path: '/api/v1/feedback' },
  /** Suspend a service. */
  suspendService: { method: 'POST', path: '/api/v1/admin/services/{id}/suspend' },
  /** Suspend a wallet. */
  suspendWallet: { method: 'POST', path: '/api/v1/admin/wallets/{address}/suspend' },
  /** Send a test event to a webhook. */
  testWebhook: { method: 'POST', path: '/api/v1/webhooks/{id}/test' },
  /** Unlock a topic. */
  unlockTopic: { method: 'POST', path: '/api/v1/admin/forum/topics/{topicId}/unlock' },
  /** Unpin a topic. */
  unpinTopic: { method: 'POST', path: '/api/v1/admin/forum/topics/{topicId}/unpin' },
  /** Remove a vote. */
  unvoteTopic: { method: 'DELETE', path: '/api/v1/forum/topics/{topicId}/vote' },
  /** Change the settings of my alerts. */
  updateAlertSettings: { method: 'PATCH', path: '/api/v1/alerts/settings' },
  /** Change a credential. */
  updateCredential: { method: 'PATCH', path: '/api/v1/credentials/agent/{id}' },
  /** Change the limits of a credential. */
  updateCredentialQuota: { method: 'PATCH', path: '/api/v1/credentials/agent/{id}/quota' },
  /** Change my name, email or notifications. */
  updateProfile: { method: 'PUT', path: '/api/v1/auth/me/profile' },
  /** Change a service. */
  updateService: { method: 'PUT', path: '/api/v1/services/{id}' },
  /** Change a webhook. */
  updateWebhook: { method: 'PATCH', path: '/api/v1/webhooks/{id}' },
  /** Sign in with a signed challenge. */
  verifyChallenge: { method: 'POST', path: '/api/v1/auth/verify' },
  /** Confirm my email with the mailed code. */
  verifyEmailCode: { method: 'POST', path: '/api/v1/auth/email/verify-code' },
  /** Verify an x402 payment to the vault, as a facilitator. */
  verifyX402Payment: { method: 'POST', path: '/x402/verify' },
  /** Vote for a topic. */
  voteTopic: { method: 'POST', path: '/api/v1/forum/topics/{topicId}/vote' },
  /** Withdraw accrued fees. */
  withdrawFees: { method: 'POST', path: '/api/v1/admin/fees/withdraw', key: true },
} as const satisfies Partial<Record<keyof operations, { method: string; path: string; key?: true }>>

/** An error code of the gateway. */
export type ErrorCode =
  | 'BUDGET_EXHAUSTED'
  | 'CHALLENGE_EXPIRED'
  | 'CREDENTIAL_INACTIVE'
  | 'CREDENTIAL_INVALID'
  | 'CREDENTIAL_NOT_FOUND'
  | 'DEPOSIT_NOT_CONFIRMED'
  | 'DEPOSIT_NOT_FOUND'
  | 'DEPOSIT_REJECTED'
  | 'DUPLICATE_SERVICE_ID'
  | 'DUPLICATE_TX_HASH'
  | 'EMAIL_VERIFICATION_DAILY_LIMIT_REACHED'
  | 'EMAIL_VERIFICATION_EXPIRED'
  | 'EMAIL_VERIFICATION_INVALID_CODE'
  | 'EMAIL_VERIFICATION_LOCKED'
  | 'EMAIL_VERIFICATION_NOT_PENDING'
  | 'FORBIDDEN'
  | 'GATEWAY_INTERRUPTED'
  | 'IDEMPOTENCY_CONFLICT'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'INSUFFICIENT_BALANCE'
  | 'INSUFFICIENT_PROVIDER_RECEIVABLE'
  | 'INTERNAL'
  | 'INVALID_ADDRESS'
  | 'INVALID_MANIFEST'
  | 'INVALID_PAYLOAD'
  | 'INVALID_REQUEST'
  | 'INVALID_STATE'
  | 'INVALID_TX_HASH'
  | 'INVOCATION_NOT_FOUND'
  | 'LIMIT_EXCEEDED'
  | 'LLM_AUTO_HOLD_LIMIT_EXCEEDED'
  | 'LOOP_DETECTED'
  | 'METHOD_NOT_ALLOWED'
  | 'MISSING_ADDRESS'
  | 'MISSING_IDEMPOTENCY_KEY'
  | 'NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'PAYMENT_REQUIRED'
  | 'PRICE_MISMATCH'
  | 'PROVIDER_SECRET_INVALID'
  | 'RATE_LIMITED'
  | 'SECRET_NOT_FOUND'
  | 'SERVICE_ALREADY_DELETED'
  | 'SERVICE_DELETE_ACTIVE_CONFLICT'
  | 'SERVICE_NOT_ALLOWED'
  | 'SERVICE_NOT_FOUND'
  | 'SERVICE_SUSPENDED'
  | 'SUPPORT_TASK_NOT_FOUND'
  | 'TOPIC_LOCKED'
  | 'TOPIC_NOT_FOUND'
  | 'TX_HASH_REPLAY'
  | 'UNAUTHORIZED'
  | 'UNAVAILABLE'
  | 'UNSAFE_TARGET_URL'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UPSTREAM_ERROR'
  | 'USAGE_ALREADY_FINAL'
  | 'VERIFICATION_FAILED'
  | 'VOUCHER_ALREADY_REDEEMED'
  | 'VOUCHER_EXPIRED'
  | 'VOUCHER_NOT_FOUND'
  | 'WALLET_SUSPENDED'
  | 'WEBHOOK_NOT_FOUND'
  | 'WITHDRAWAL_NOT_FOUND'
  | 'WITHDRAWAL_NOT_OPEN'
  | 'WITHDRAWAL_TX_MISMATCH'
  | 'WITHDRAWAL_TX_NOT_CONFIRMED'
  | 'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE'
