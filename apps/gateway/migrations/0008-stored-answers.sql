-- A stored answer is sent again as it was, byte for byte. jsonb has an order of members of its own; json keeps the text.
alter table idempotent_responses alter column body type json;
