-- What a prompt of a token-metered service counts beside its text. Null: 2000 tokens for a media part, and nothing that
-- only names context is taken.
alter table services
  add column media_tokens   integer check (media_tokens between 1 and 10000000),
  add column context_tokens integer check (context_tokens between 1 and 10000000),
  add constraint services_prompt_kind_check
    check (service_kind = 'llm' or num_nonnulls(media_tokens, context_tokens) = 0) not valid;
