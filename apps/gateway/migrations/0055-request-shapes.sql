-- How the body of a call is sent to the targets of a service, and the content type of a text body (null: text/plain).
alter table services
  add column encoding text not null default 'json' check (encoding in ('json', 'form', 'multipart', 'text')),
  add column content_type text;

-- What a probe asks for at the origin of this target; null: what the health check of the service says.
alter table service_targets add column health_path text;
