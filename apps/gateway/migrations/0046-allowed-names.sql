-- Which credentials name a service in their allow-list: a name that one of them knows is not given to another service.
create index credentials_by_allowed_service on credentials using gin (allowed_services) where allowed_services is not null;
