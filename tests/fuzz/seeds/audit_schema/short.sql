CREATE TABLE `p` (`id` int(10) unsigned NOT NULL AUTO_INCREMENT, `n` enum('a','b') DEFAULT 'a', PRIMARY KEY (`id`), UNIQUE KEY `u` (`n`(5))) ENGINE=InnoDB;
CREATE TABLE public.c (p integer REFERENCES p, "Total" numeric(12,2) DEFAULT 0 NOT NULL, CONSTRAINT x CHECK (p > 0));
COPY public.c FROM stdin;
1	2
\.
ALTER TABLE ONLY c ADD CONSTRAINT k PRIMARY KEY (p), MODIFY COLUMN p bigint;
CREATE UNIQUE INDEX a ON c USING btree (lower(p)) WHERE p > 1;
