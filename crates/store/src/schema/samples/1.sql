-- The rows of a store of version 1: a run that has ended, and one that was killed.
INSERT INTO outputs (id, name)
VALUES (1, 'docs');
INSERT INTO runs (number, output, command, scribe, started, ended, exit, is_killed, totals, learned, seal)
VALUES (1, 1, '["war-rig","document","src","-o","docs"]', 'static', 1767323045, 1767323045, 3, 0, '{"files":2}', NULL, NULL);
INSERT INTO runs (number, output, command, scribe, started, ended, exit, is_killed, totals, learned, seal)
VALUES (2, 1, '["war-rig","document","src","-o","docs"]', 'static', 1767323045, NULL, NULL, 0, NULL, '{"ratio":1.5}', X'3248d40b2228dbc3c2a7e201a68fe071');
INSERT INTO tickets (id, output, file, base, state, reason, attempts, since, inputs, context, estate, report, files, seal)
VALUES (1, 1, 'cbl/A.cbl', 'src', 'done', 'written', 0, 0, X'8482edfb99615c99c3599d1ea15cb0bb5d77d5bd59bcfdbb138afa4cf97e8924', X'cbced1c7f5925acbb8499b329ba0d34971ac16ef10947bb537b19cd193b106f7', X'1baecb329170fbb8d7fb2e77fde55cd26325aaea06077ab092ba393ff37363e0', '{"file":"cbl/A.cbl"}', '[{"name":"cbl/A.cbl.json","size":7,"hash":"a384408d93abe898a69b6ab90c2aef0581ffb78d1eca3d8363a67eb7de4a8f2a","changed":-3},{"name":"cbl/A.cbl.md","size":9,"hash":"bc4e38830358d5756abb27cb6eec530f7346d34d03a1b092431d36de09d3b334","changed":null}]', X'fe47998690944dfc4762452737892cd7');
INSERT INTO tickets (id, output, file, base, state, reason, attempts, since, inputs, context, estate, report, files, seal)
VALUES (2, 1, 'cbl/B.cbl', 'src', 'failed', 'line 3 is too long', 0, 0, NULL, NULL, NULL, NULL, NULL, X'6272502814b1926b1b62e3c2f7b7e407');
INSERT INTO tickets (id, output, file, base, state, reason, attempts, since, inputs, context, estate, report, files, seal)
VALUES (3, 1, 'cbl/C.cbl', 'src', 'writing', 'new', 1, 0, NULL, NULL, NULL, NULL, NULL, X'8b8d77d4b6a5d6936023cae3a961e32d');
INSERT INTO history (ticket, run, transitions)
VALUES (1, 1, '[{"from":"merged","to":"done","reason":"written"}]');
INSERT INTO history (ticket, run, transitions)
VALUES (2, 1, '[{"from":"merged","to":"failed","reason":"line 3 is too long"}]');
INSERT INTO chunks (ticket, chunks, seal)
VALUES (1, X'2c01000057c6ed9f898e90f0b0dcc50934ef6c3dc595fd8d1ebe04db20732aaffe37406412443373f434e98cecfd4f97d0742165e8634386dc68e178238a80a3267f8877311eb19b669d48d4a430e803994818398f76a7cd7f4603beb3b7e2f76caac0d5cc23cfd8f51f01ac9f11c9e1f10fb47fbe947c601774a1fc0024e566fab0b8cb2c01000056c445ae0c0035667e0e53e05696c328d6929222c8137b61fd3b45ba9adc689a447702f3bd7050c2652fdc9fe8e938eafb179d36b98b7c11125c9337a6a518473dab8e303cd44d26b902ceb4586a270357e97e8e4d6b5b14ab629131377519efd25b6fbf9122e3155c6b50d727992a067f07709121408cdf7bab49691f407637', X'365043bb9f0df6420d22ed69eb26f9f7');
INSERT INTO answers (place, key, turn, outcome, seal)
VALUES (1, X'16fb0ee862d8d431100292e55c0508508e8b3fb75b80c154c436eee90c7d6737', 0, '{"answer":{"text":"{","finish":"stop","refusal":null,"usage":null}}', X'd321553a4b9cd912b9fdfc06529f64eb');
INSERT INTO answers (place, key, turn, outcome, seal)
VALUES (2, X'f003db3c8fddc3611cd75cdcb05108606923e0bc137e99f53a83bfdd5c8fd6d6', 0, '{"answer":{"text":"the answer","finish":"stop","refusal":null,"usage":null}}', X'b83a5359c25743e68f7d9cbff5530667');
INSERT INTO useless (question, place, seal)
VALUES (X'16fb0ee862d8d431100292e55c0508508e8b3fb75b80c154c436eee90c7d6737', 1, X'60934bbe8d97e2259212e7cfd8f56f91');
INSERT INTO calls (run, number, state, file, about, key, question, turn, prompt_tokens, completion_tokens, cost, answer, problem)
VALUES (1, 1, 'answered', 'cbl/B.cbl', 'cbl/B.cbl chunk 1/1 (lines 1-80)', X'16fb0ee862d8d431100292e55c0508508e8b3fb75b80c154c436eee90c7d6737', X'16fb0ee862d8d431100292e55c0508508e8b3fb75b80c154c436eee90c7d6737', 0, 1000, 50, 120, 1, NULL);
INSERT INTO calls (run, number, state, file, about, key, question, turn, prompt_tokens, completion_tokens, cost, answer, problem)
VALUES (2, 1, 'answered', 'cbl/C.cbl', 'cbl/C.cbl chunk 1/1 (lines 1-80)', X'f003db3c8fddc3611cd75cdcb05108606923e0bc137e99f53a83bfdd5c8fd6d6', X'f003db3c8fddc3611cd75cdcb05108606923e0bc137e99f53a83bfdd5c8fd6d6', 0, 1000, 50, 120, 2, NULL);
INSERT INTO calls (run, number, state, file, about, key, question, turn, prompt_tokens, completion_tokens, cost, answer, problem)
VALUES (2, 2, 'sent', 'cbl/C.cbl', 'cbl/C.cbl chunk 1/1 (lines 1-80)', X'b2dea48d667b2821a9bcf69eded39a2458a1d8165ca7fcac64c3557b69a7ea08', X'b2dea48d667b2821a9bcf69eded39a2458a1d8165ca7fcac64c3557b69a7ea08', 0, 1000, 0, 500, NULL, NULL);
INSERT INTO sources (id, output, file, hash, lookups, has_survey, seal)
VALUES (1, 1, 'cbl/A.cbl', X'8482edfb99615c99c3599d1ea15cb0bb5d77d5bd59bcfdbb138afa4cf97e8924', '[]', 1, X'e23f2ea7bcb51f2697a81c1672eecf14');
INSERT INTO sources (id, output, file, hash, lookups, has_survey, seal)
VALUES (2, 1, 'cpy/X.cpy', X'07eec3b3d2e459492fdac372e249f1f70489c003c066d1a7707fa70cb2397679', '[]', 0, X'f289a39a29a8e63e5744ebba57d081ef');
INSERT INTO surveys (source, survey, seal)
VALUES (1, '{"a":1}', X'7fee20943d6c42a9d6f9de790ede895d');
