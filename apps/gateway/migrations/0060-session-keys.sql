-- A digest of the JWT_SECRET of each gateway: one that starts compares its own with those of the gateways that run.
alter table gateway_instances add column session_key text;
