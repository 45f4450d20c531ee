-- What a model takes as input, as its provider states it; null: not stated.
alter table services
  add column input_modalities text[]
    check (input_modalities <@ array['text', 'image', 'audio', 'video', 'file'] and cardinality(input_modalities) > 0),
  add constraint services_modalities_kind_check check (service_kind = 'llm' or input_modalities is null) not valid;
