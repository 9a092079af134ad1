-- about: a ticket office as Rails sends it; faults: a seat is reserved after a look, money is taken after a SUM, seats_left is checked in one request and reduced in the next; safe: lock_version, a counter cache in both directions, a unique e-mail address, a state that the UPDATE asks for, a lock of the wallet, places_left with a condition, a score that is computed again
-- schema: ticket_office.ddl
-- at read-committed: phantom, read-only anomaly
-- across transactions: acts events.seats_left
-- session 2
BEGIN;
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 3 /*controller:tickets,request_id:r1*/;
-- session 4
BEGIN;
SELECT 1 AS one FROM `users` WHERE `users`.`email` = 'u41@example.org' LIMIT 1 /*controller:tickets,request_id:r2*/;
INSERT INTO `users` (`email`, `name`) VALUES ('u41@example.org', 'n') /*controller:tickets,request_id:r2*/;
COMMIT;
-- session 1
BEGIN;
-- session 3
BEGIN;
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 4 AND `reservations`.`seat` = 31 LIMIT 1 /*controller:tickets,request_id:r4*/;
-- session 1
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 5 /*controller:tickets,request_id:r3*/;
-- session 4
INSERT INTO `entries` (`account_id`, `amount`) VALUES (5, 11) /*controller:tickets,request_id:r5*/;
-- session 1
INSERT INTO `entries` (`account_id`, `amount`) VALUES (5, -17) /*controller:tickets,request_id:r3*/;
COMMIT;
-- session 3
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (4, 31, 20) /*controller:tickets,request_id:r4*/;
-- session 4
BEGIN;
-- session 3
COMMIT;
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 38 LIMIT 1 /*controller:tickets,request_id:r7*/;
-- session 2
INSERT INTO `entries` (`account_id`, `amount`) VALUES (3, -20) /*controller:tickets,request_id:r1*/;
-- session 4
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 301 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r6*/;
-- session 3
SELECT `tours`.* FROM `tours` WHERE `tours`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r7*/;
-- session 4
INSERT INTO `receipts` (`order_id`, `text`) VALUES (301, 'paid') /*controller:tickets,request_id:r6*/;
-- session 3
BEGIN;
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 38 LIMIT 1 /*controller:tickets,request_id:r8*/;
INSERT INTO `tickets` (`tour_id`, `holder`, `number`) VALUES (1, 38, 2) /*controller:tickets,request_id:r8*/;
UPDATE `tours` SET `tours`.`places_left` = `tours`.`places_left` - 2 WHERE `tours`.`id` = 1 AND `tours`.`places_left` >= 2 /*controller:tickets,request_id:r8*/;
COMMIT;
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 1
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 302 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r9*/;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 7 LIMIT 1 /*controller:tickets,request_id:r10*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 15 LIMIT 1 /*controller:tickets,request_id:r11*/;
-- session 2
SELECT `tours`.* FROM `tours` WHERE `tours`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r10*/;
-- session 1
INSERT INTO `receipts` (`order_id`, `text`) VALUES (302, 'paid') /*controller:tickets,request_id:r9*/;
-- session 4
COMMIT;
-- session 3
SELECT `events`.* FROM `events` WHERE `events`.`id` = 3 LIMIT 1 /*controller:tickets,request_id:r11*/;
-- session 1
COMMIT;
-- session 2
BEGIN;
-- session 1
BEGIN;
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 3 AND `reservations`.`seat` = 11 LIMIT 1 /*controller:tickets,request_id:r13*/;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 7 LIMIT 1 /*controller:tickets,request_id:r12*/;
-- session 4
BEGIN;
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 3 AND `reservations`.`seat` = 67 LIMIT 1 /*controller:tickets,request_id:r14*/;
-- session 1
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (3, 11, 40) /*controller:tickets,request_id:r13*/;
-- session 4
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (3, 67, 18) /*controller:tickets,request_id:r14*/;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 2
INSERT INTO `tickets` (`tour_id`, `holder`, `number`) VALUES (1, 7, 3) /*controller:tickets,request_id:r12*/;
UPDATE `tours` SET `tours`.`places_left` = `tours`.`places_left` - 3 WHERE `tours`.`id` = 1 AND `tours`.`places_left` >= 3 /*controller:tickets,request_id:r12*/;
-- session 3
BEGIN;
-- session 4
INSERT INTO `entries` (`account_id`, `amount`) VALUES (5, 17) /*controller:tickets,request_id:r16*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 15 LIMIT 1 /*controller:tickets,request_id:r15*/;
-- session 4
BEGIN;
-- session 3
DELETE FROM `comments` WHERE `comments`.`id` = 87 /*controller:tickets,request_id:r15*/;
-- session 4
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 6 /*controller:tickets,request_id:r17*/;
-- session 3
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) - 1 WHERE `events`.`id` = 3 /*controller:tickets,request_id:r15*/;
-- session 2
COMMIT;
-- session 3
COMMIT;
-- session 1
BEGIN;
-- session 4
INSERT INTO `entries` (`account_id`, `amount`) VALUES (6, -17) /*controller:tickets,request_id:r17*/;
-- session 3
BEGIN;
-- session 1
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 5 /*controller:tickets,request_id:r18*/;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 3
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 303 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r19*/;
INSERT INTO `receipts` (`order_id`, `text`) VALUES (303, 'paid') /*controller:tickets,request_id:r19*/;
-- session 1
INSERT INTO `entries` (`account_id`, `amount`) VALUES (5, -7) /*controller:tickets,request_id:r18*/;
COMMIT;
-- session 3
COMMIT;
-- session 4
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 1 /*controller:tickets,request_id:r21*/;
-- session 3
BEGIN;
-- session 1
BEGIN;
SELECT `events`.* FROM `events` WHERE `events`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r23*/;
-- session 3
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 304 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r22*/;
-- session 2
SELECT `wallets`.* FROM `wallets` WHERE `wallets`.`id` = 1 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r20*/;
SELECT SUM(`moves`.`amount`) FROM `moves` WHERE `moves`.`wallet_id` = 1 /*controller:tickets,request_id:r20*/;
-- session 4
INSERT INTO `entries` (`account_id`, `amount`) VALUES (1, -12) /*controller:tickets,request_id:r21*/;
-- session 2
INSERT INTO `moves` (`wallet_id`, `amount`) VALUES (1, -20) /*controller:tickets,request_id:r20*/;
COMMIT;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 3
INSERT INTO `receipts` (`order_id`, `text`) VALUES (304, 'paid') /*controller:tickets,request_id:r22*/;
-- session 1
UPDATE `events` SET `events`.`title` = 'T10', `events`.`lock_version` = 1 WHERE `events`.`id` = 1 AND `events`.`lock_version` = 0 /*controller:tickets,request_id:r23*/;
COMMIT;
-- session 2
SELECT `events`.* FROM `events` WHERE `events`.`id` = 3 LIMIT 1 /*controller:tickets,request_id:r24*/;
UPDATE `events` SET `events`.`title` = 'T76', `events`.`lock_version` = 1 WHERE `events`.`id` = 3 AND `events`.`lock_version` = 0 /*controller:tickets,request_id:r24*/;
COMMIT;
-- session 1
BEGIN;
-- session 3
COMMIT;
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 2
INSERT INTO `comments` (`event_id`, `body`) VALUES (1, 'nice') /*controller:tickets,request_id:r26*/;
-- session 4
SELECT 1 AS one FROM `users` WHERE `users`.`email` = 'u42@example.org' LIMIT 1 /*controller:tickets,request_id:r27*/;
-- session 2
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 1 /*controller:tickets,request_id:r26*/;
COMMIT;
-- session 4
INSERT INTO `users` (`email`, `name`) VALUES ('u42@example.org', 'n') /*controller:tickets,request_id:r27*/;
-- session 1
SELECT `events`.* FROM `events` WHERE `events`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r25*/;
-- session 2
SELECT `films`.* FROM `films` WHERE `films`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r28*/;
-- session 3
BEGIN;
-- session 4
COMMIT;
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 21 LIMIT 1 /*controller:tickets,request_id:r30*/;
-- session 1
UPDATE `events` SET `events`.`title` = 'T76', `events`.`lock_version` = 2 WHERE `events`.`id` = 1 AND `events`.`lock_version` = 1 /*controller:tickets,request_id:r25*/;
COMMIT;
-- session 4
SELECT `events`.* FROM `events` WHERE `events`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r30*/;
-- session 3
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 1 /*controller:tickets,request_id:r29*/;
INSERT INTO `entries` (`account_id`, `amount`) VALUES (1, -11) /*controller:tickets,request_id:r29*/;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 21 LIMIT 1 /*controller:tickets,request_id:r31*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 20 LIMIT 1 /*controller:tickets,request_id:r32*/;
-- session 2
INSERT INTO `ratings` (`film_id`, `stars`) VALUES (2, 4) /*controller:tickets,request_id:r28*/;
-- session 4
INSERT INTO `tickets` (`event_id`, `holder`, `number`) VALUES (1, 21, 1) /*controller:tickets,request_id:r31*/;
-- session 2
SELECT `films`.* FROM `films` WHERE `films`.`id` = 2 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r28*/;
SELECT AVG(`ratings`.`stars`) FROM `ratings` WHERE `ratings`.`film_id` = 2 /*controller:tickets,request_id:r28*/;
UPDATE `films` SET `films`.`score` = 4.5 WHERE `films`.`id` = 2 /*controller:tickets,request_id:r28*/;
-- session 1
BEGIN;
-- session 4
UPDATE `events` SET `events`.`seats_left` = `events`.`seats_left` - 1 WHERE `events`.`id` = 1 /*controller:tickets,request_id:r31*/;
-- session 2
COMMIT;
-- session 4
COMMIT;
BEGIN;
-- session 3
SELECT `events`.* FROM `events` WHERE `events`.`id` = 3 LIMIT 1 /*controller:tickets,request_id:r32*/;
-- session 4
INSERT INTO `comments` (`event_id`, `body`) VALUES (3, 'nice') /*controller:tickets,request_id:r34*/;
-- session 3
BEGIN;
-- session 4
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 3 /*controller:tickets,request_id:r34*/;
-- session 2
INSERT INTO `entries` (`account_id`, `amount`) VALUES (6, 6) /*controller:tickets,request_id:r36*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 20 LIMIT 1 /*controller:tickets,request_id:r35*/;
-- session 2
BEGIN;
-- session 3
DELETE FROM `comments` WHERE `comments`.`id` = 75 /*controller:tickets,request_id:r35*/;
-- session 1
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 305 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r33*/;
-- session 2
SELECT `events`.* FROM `events` WHERE `events`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r37*/;
UPDATE `events` SET `events`.`title` = 'T90', `events`.`lock_version` = 1 WHERE `events`.`id` = 2 AND `events`.`lock_version` = 0 /*controller:tickets,request_id:r37*/;
COMMIT;
-- session 3
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) - 1 WHERE `events`.`id` = 3 /*controller:tickets,request_id:r35*/;
COMMIT;
-- session 4
COMMIT;
-- session 3
BEGIN;
INSERT INTO `comments` (`event_id`, `body`) VALUES (3, 'nice') /*controller:tickets,request_id:r38*/;
-- session 2
BEGIN;
-- session 3
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 3 /*controller:tickets,request_id:r38*/;
-- session 4
INSERT INTO `entries` (`account_id`, `amount`) VALUES (2, 11) /*controller:tickets,request_id:r40*/;
-- session 2
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 4 /*controller:tickets,request_id:r39*/;
-- session 3
COMMIT;
-- session 2
INSERT INTO `entries` (`account_id`, `amount`) VALUES (4, -7) /*controller:tickets,request_id:r39*/;
COMMIT;
-- session 3
BEGIN;
SELECT `events`.* FROM `events` WHERE `events`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r41*/;
-- session 1
INSERT INTO `receipts` (`order_id`, `text`) VALUES (305, 'paid') /*controller:tickets,request_id:r33*/;
-- session 3
UPDATE `events` SET `events`.`title` = 'T30', `events`.`lock_version` = 3 WHERE `events`.`id` = 1 AND `events`.`lock_version` = 2 /*controller:tickets,request_id:r41*/;
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 4
SELECT `films`.* FROM `films` WHERE `films`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r42*/;
BEGIN;
INSERT INTO `ratings` (`film_id`, `stars`) VALUES (2, 1) /*controller:tickets,request_id:r42*/;
-- session 3
BEGIN;
INSERT INTO `comments` (`event_id`, `body`) VALUES (4, 'nice') /*controller:tickets,request_id:r43*/;
-- session 4
SELECT `films`.* FROM `films` WHERE `films`.`id` = 2 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r42*/;
-- session 3
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 4 /*controller:tickets,request_id:r43*/;
COMMIT;
-- session 1
BEGIN;
-- session 4
SELECT AVG(`ratings`.`stars`) FROM `ratings` WHERE `ratings`.`film_id` = 2 /*controller:tickets,request_id:r42*/;
-- session 2
BEGIN;
-- session 1
SELECT `wallets`.* FROM `wallets` WHERE `wallets`.`id` = 4 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r44*/;
-- session 4
UPDATE `films` SET `films`.`score` = 3.7 WHERE `films`.`id` = 2 /*controller:tickets,request_id:r42*/;
COMMIT;
-- session 3
INSERT INTO `entries` (`account_id`, `amount`) VALUES (5, 9) /*controller:tickets,request_id:r46*/;
-- session 1
SELECT SUM(`moves`.`amount`) FROM `moves` WHERE `moves`.`wallet_id` = 4 /*controller:tickets,request_id:r44*/;
-- session 2
SELECT `wallets`.* FROM `wallets` WHERE `wallets`.`id` = 6 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r45*/;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 35 LIMIT 1 /*controller:tickets,request_id:r47*/;
-- session 2
SELECT SUM(`moves`.`amount`) FROM `moves` WHERE `moves`.`wallet_id` = 6 /*controller:tickets,request_id:r45*/;
-- session 3
BEGIN;
-- session 4
SELECT `events`.* FROM `events` WHERE `events`.`id` = 5 LIMIT 1 /*controller:tickets,request_id:r47*/;
-- session 2
INSERT INTO `moves` (`wallet_id`, `amount`) VALUES (6, -19) /*controller:tickets,request_id:r45*/;
-- session 4
BEGIN;
-- session 1
INSERT INTO `moves` (`wallet_id`, `amount`) VALUES (4, -16) /*controller:tickets,request_id:r44*/;
COMMIT;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 35 LIMIT 1 /*controller:tickets,request_id:r49*/;
-- session 3
SELECT 1 AS one FROM `users` WHERE `users`.`email` = 'u43@example.org' LIMIT 1 /*controller:tickets,request_id:r48*/;
-- session 2
COMMIT;
-- session 3
INSERT INTO `users` (`email`, `name`) VALUES ('u43@example.org', 'n') /*controller:tickets,request_id:r48*/;
COMMIT;
-- session 4
INSERT INTO `tickets` (`event_id`, `holder`, `number`) VALUES (5, 35, 2) /*controller:tickets,request_id:r49*/;
UPDATE `events` SET `events`.`seats_left` = `events`.`seats_left` - 2 WHERE `events`.`id` = 5 /*controller:tickets,request_id:r49*/;
-- session 2
INSERT INTO `entries` (`account_id`, `amount`) VALUES (5, 13) /*controller:tickets,request_id:r50*/;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 2
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 5 AND `reservations`.`seat` = 35 LIMIT 1 /*controller:tickets,request_id:r51*/;
-- session 3
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 3 /*controller:tickets,request_id:r52*/;
-- session 2
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (5, 35, 16) /*controller:tickets,request_id:r51*/;
-- session 1
BEGIN;
INSERT INTO `comments` (`event_id`, `body`) VALUES (1, 'nice') /*controller:tickets,request_id:r53*/;
-- session 3
INSERT INTO `entries` (`account_id`, `amount`) VALUES (3, -13) /*controller:tickets,request_id:r52*/;
COMMIT;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 2
COMMIT;
-- session 3
SELECT 1 AS one FROM `users` WHERE `users`.`email` = 'u44@example.org' LIMIT 1 /*controller:tickets,request_id:r55*/;
INSERT INTO `users` (`email`, `name`) VALUES ('u44@example.org', 'n') /*controller:tickets,request_id:r55*/;
COMMIT;
-- session 1
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 1 /*controller:tickets,request_id:r53*/;
-- session 2
BEGIN;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 39 LIMIT 1 /*controller:tickets,request_id:r57*/;
-- session 1
COMMIT;
-- session 3
SELECT `tours`.* FROM `tours` WHERE `tours`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r57*/;
-- session 1
BEGIN;
-- session 2
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 4 AND `reservations`.`seat` = 50 LIMIT 1 /*controller:tickets,request_id:r56*/;
-- session 4
SELECT `wallets`.* FROM `wallets` WHERE `wallets`.`id` = 6 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r54*/;
-- session 1
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 2 AND `reservations`.`seat` = 25 LIMIT 1 /*controller:tickets,request_id:r58*/;
-- session 4
SELECT SUM(`moves`.`amount`) FROM `moves` WHERE `moves`.`wallet_id` = 6 /*controller:tickets,request_id:r54*/;
-- session 3
BEGIN;
-- session 2
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (4, 50, 21) /*controller:tickets,request_id:r56*/;
-- session 1
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (2, 25, 34) /*controller:tickets,request_id:r58*/;
-- session 4
INSERT INTO `moves` (`wallet_id`, `amount`) VALUES (6, -13) /*controller:tickets,request_id:r54*/;
COMMIT;
-- session 2
COMMIT;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 39 LIMIT 1 /*controller:tickets,request_id:r59*/;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 5 LIMIT 1 /*controller:tickets,request_id:r61*/;
-- session 4
SELECT 1 AS one FROM `users` WHERE `users`.`email` = 'u45@example.org' LIMIT 1 /*controller:tickets,request_id:r60*/;
-- session 1
BEGIN;
-- session 4
INSERT INTO `users` (`email`, `name`) VALUES ('u45@example.org', 'n') /*controller:tickets,request_id:r60*/;
-- session 1
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 306 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r62*/;
-- session 2
SELECT `events`.* FROM `events` WHERE `events`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r61*/;
-- session 3
INSERT INTO `tickets` (`tour_id`, `holder`, `number`) VALUES (1, 39, 2) /*controller:tickets,request_id:r59*/;
UPDATE `tours` SET `tours`.`places_left` = `tours`.`places_left` - 2 WHERE `tours`.`id` = 1 AND `tours`.`places_left` >= 2 /*controller:tickets,request_id:r59*/;
-- session 1
INSERT INTO `receipts` (`order_id`, `text`) VALUES (306, 'paid') /*controller:tickets,request_id:r62*/;
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 1
COMMIT;
-- session 3
BEGIN;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 30 LIMIT 1 /*controller:tickets,request_id:r64*/;
-- session 3
SELECT 1 AS one FROM `users` WHERE `users`.`email` = 'u46@example.org' LIMIT 1 /*controller:tickets,request_id:r63*/;
INSERT INTO `users` (`email`, `name`) VALUES ('u46@example.org', 'n') /*controller:tickets,request_id:r63*/;
COMMIT;
SELECT `films`.* FROM `films` WHERE `films`.`id` = 5 LIMIT 1 /*controller:tickets,request_id:r65*/;
BEGIN;
-- session 4
SELECT `tours`.* FROM `tours` WHERE `tours`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r64*/;
-- session 2
BEGIN;
-- session 1
BEGIN;
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 307 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r67*/;
-- session 4
BEGIN;
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 30 LIMIT 1 /*controller:tickets,request_id:r68*/;
INSERT INTO `tickets` (`tour_id`, `holder`, `number`) VALUES (1, 30, 4) /*controller:tickets,request_id:r68*/;
UPDATE `tours` SET `tours`.`places_left` = `tours`.`places_left` - 4 WHERE `tours`.`id` = 1 AND `tours`.`places_left` >= 4 /*controller:tickets,request_id:r68*/;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 5 LIMIT 1 /*controller:tickets,request_id:r66*/;
-- session 4
COMMIT;
-- session 3
INSERT INTO `ratings` (`film_id`, `stars`) VALUES (5, 3) /*controller:tickets,request_id:r65*/;
-- session 2
INSERT INTO `tickets` (`event_id`, `holder`, `number`) VALUES (2, 5, 2) /*controller:tickets,request_id:r66*/;
-- session 1
INSERT INTO `receipts` (`order_id`, `text`) VALUES (307, 'paid') /*controller:tickets,request_id:r67*/;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 2
UPDATE `events` SET `events`.`seats_left` = `events`.`seats_left` - 2 WHERE `events`.`id` = 2 /*controller:tickets,request_id:r66*/;
COMMIT;
-- session 4
INSERT INTO `comments` (`event_id`, `body`) VALUES (4, 'nice') /*controller:tickets,request_id:r69*/;
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 4 /*controller:tickets,request_id:r69*/;
COMMIT;
BEGIN;
-- session 1
BEGIN;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 4 LIMIT 1 /*controller:tickets,request_id:r72*/;
SELECT `events`.* FROM `events` WHERE `events`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r72*/;
BEGIN;
-- session 4
SELECT `events`.* FROM `events` WHERE `events`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r70*/;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 4 LIMIT 1 /*controller:tickets,request_id:r73*/;
-- session 4
UPDATE `events` SET `events`.`title` = 'T32', `events`.`lock_version` = 2 WHERE `events`.`id` = 2 AND `events`.`lock_version` = 1 /*controller:tickets,request_id:r70*/;
-- session 2
DELETE FROM `comments` WHERE `comments`.`id` = 77 /*controller:tickets,request_id:r73*/;
-- session 3
SELECT `films`.* FROM `films` WHERE `films`.`id` = 5 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r65*/;
-- session 2
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) - 1 WHERE `events`.`id` = 1 /*controller:tickets,request_id:r73*/;
COMMIT;
-- session 3
SELECT AVG(`ratings`.`stars`) FROM `ratings` WHERE `ratings`.`film_id` = 5 /*controller:tickets,request_id:r65*/;
UPDATE `films` SET `films`.`score` = 1.6 WHERE `films`.`id` = 5 /*controller:tickets,request_id:r65*/;
COMMIT;
BEGIN;
-- session 1
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 3 AND `reservations`.`seat` = 80 LIMIT 1 /*controller:tickets,request_id:r71*/;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 3
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 308 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r74*/;
-- session 2
INSERT INTO `comments` (`event_id`, `body`) VALUES (2, 'nice') /*controller:tickets,request_id:r75*/;
-- session 3
INSERT INTO `receipts` (`order_id`, `text`) VALUES (308, 'paid') /*controller:tickets,request_id:r74*/;
-- session 2
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 2 /*controller:tickets,request_id:r75*/;
-- session 1
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (3, 80, 8) /*controller:tickets,request_id:r71*/;
-- session 3
COMMIT;
-- session 2
COMMIT;
-- session 1
COMMIT;
-- session 4
BEGIN;
-- session 3
BEGIN;
INSERT INTO `comments` (`event_id`, `body`) VALUES (2, 'nice') /*controller:tickets,request_id:r77*/;
-- session 4
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 2 /*controller:tickets,request_id:r76*/;
INSERT INTO `entries` (`account_id`, `amount`) VALUES (2, -13) /*controller:tickets,request_id:r76*/;
COMMIT;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 25 LIMIT 1 /*controller:tickets,request_id:r78*/;
-- session 3
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 2 /*controller:tickets,request_id:r77*/;
-- session 1
BEGIN;
-- session 3
COMMIT;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 22 LIMIT 1 /*controller:tickets,request_id:r80*/;
-- session 1
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 6 /*controller:tickets,request_id:r79*/;
-- session 2
SELECT `events`.* FROM `events` WHERE `events`.`id` = 5 LIMIT 1 /*controller:tickets,request_id:r78*/;
-- session 4
SELECT `events`.* FROM `events` WHERE `events`.`id` = 4 LIMIT 1 /*controller:tickets,request_id:r80*/;
BEGIN;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 14 LIMIT 1 /*controller:tickets,request_id:r82*/;
-- session 1
INSERT INTO `entries` (`account_id`, `amount`) VALUES (6, -4) /*controller:tickets,request_id:r79*/;
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 25 LIMIT 1 /*controller:tickets,request_id:r83*/;
INSERT INTO `tickets` (`event_id`, `holder`, `number`) VALUES (5, 25, 2) /*controller:tickets,request_id:r83*/;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 22 LIMIT 1 /*controller:tickets,request_id:r81*/;
-- session 1
BEGIN;
-- session 4
INSERT INTO `tickets` (`event_id`, `holder`, `number`) VALUES (4, 22, 1) /*controller:tickets,request_id:r81*/;
-- session 1
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 5 AND `reservations`.`seat` = 78 LIMIT 1 /*controller:tickets,request_id:r84*/;
-- session 4
UPDATE `events` SET `events`.`seats_left` = `events`.`seats_left` - 1 WHERE `events`.`id` = 4 /*controller:tickets,request_id:r81*/;
-- session 2
UPDATE `events` SET `events`.`seats_left` = `events`.`seats_left` - 2 WHERE `events`.`id` = 5 /*controller:tickets,request_id:r83*/;
COMMIT;
-- session 3
SELECT `tours`.* FROM `tours` WHERE `tours`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r82*/;
-- session 1
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (5, 78, 21) /*controller:tickets,request_id:r84*/;
-- session 4
COMMIT;
-- session 3
BEGIN;
-- session 2
BEGIN;
-- session 4
BEGIN;
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 1 AND `reservations`.`seat` = 38 LIMIT 1 /*controller:tickets,request_id:r87*/;
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (1, 38, 39) /*controller:tickets,request_id:r87*/;
-- session 1
COMMIT;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 14 LIMIT 1 /*controller:tickets,request_id:r85*/;
INSERT INTO `tickets` (`tour_id`, `holder`, `number`) VALUES (1, 14, 4) /*controller:tickets,request_id:r85*/;
-- session 4
COMMIT;
-- session 2
SELECT `events`.* FROM `events` WHERE `events`.`id` = 4 LIMIT 1 /*controller:tickets,request_id:r86*/;
-- session 3
UPDATE `tours` SET `tours`.`places_left` = `tours`.`places_left` - 4 WHERE `tours`.`id` = 1 AND `tours`.`places_left` >= 4 /*controller:tickets,request_id:r85*/;
-- session 2
UPDATE `events` SET `events`.`title` = 'T45', `events`.`lock_version` = 1 WHERE `events`.`id` = 4 AND `events`.`lock_version` = 0 /*controller:tickets,request_id:r86*/;
COMMIT;
-- session 4
SELECT `films`.* FROM `films` WHERE `films`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r88*/;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 1
BEGIN;
SELECT `events`.* FROM `events` WHERE `events`.`id` = 3 LIMIT 1 /*controller:tickets,request_id:r90*/;
UPDATE `events` SET `events`.`title` = 'T93', `events`.`lock_version` = 2 WHERE `events`.`id` = 3 AND `events`.`lock_version` = 1 /*controller:tickets,request_id:r90*/;
COMMIT;
-- session 2
SELECT 1 AS one FROM `users` WHERE `users`.`email` = 'u47@example.org' LIMIT 1 /*controller:tickets,request_id:r89*/;
INSERT INTO `users` (`email`, `name`) VALUES ('u47@example.org', 'n') /*controller:tickets,request_id:r89*/;
-- session 4
INSERT INTO `ratings` (`film_id`, `stars`) VALUES (2, 4) /*controller:tickets,request_id:r88*/;
-- session 1
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 19 LIMIT 1 /*controller:tickets,request_id:r91*/;
-- session 4
SELECT `films`.* FROM `films` WHERE `films`.`id` = 2 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r88*/;
-- session 2
COMMIT;
-- session 1
SELECT `events`.* FROM `events` WHERE `events`.`id` = 5 LIMIT 1 /*controller:tickets,request_id:r91*/;
-- session 4
SELECT AVG(`ratings`.`stars`) FROM `ratings` WHERE `ratings`.`film_id` = 2 /*controller:tickets,request_id:r88*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 14 LIMIT 1 /*controller:tickets,request_id:r92*/;
-- session 1
BEGIN;
-- session 3
SELECT `events`.* FROM `events` WHERE `events`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r92*/;
BEGIN;
-- session 4
UPDATE `films` SET `films`.`score` = 3.2 WHERE `films`.`id` = 2 /*controller:tickets,request_id:r88*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 14 LIMIT 1 /*controller:tickets,request_id:r94*/;
-- session 1
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 19 LIMIT 1 /*controller:tickets,request_id:r93*/;
-- session 3
DELETE FROM `comments` WHERE `comments`.`id` = 25 /*controller:tickets,request_id:r94*/;
-- session 2
BEGIN;
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 309 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r95*/;
-- session 4
COMMIT;
-- session 1
DELETE FROM `comments` WHERE `comments`.`id` = 5 /*controller:tickets,request_id:r93*/;
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) - 1 WHERE `events`.`id` = 5 /*controller:tickets,request_id:r93*/;
-- session 2
INSERT INTO `receipts` (`order_id`, `text`) VALUES (309, 'paid') /*controller:tickets,request_id:r95*/;
-- session 3
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) - 1 WHERE `events`.`id` = 1 /*controller:tickets,request_id:r94*/;
-- session 2
COMMIT;
-- session 3
COMMIT;
-- session 1
COMMIT;
-- session 2
INSERT INTO `entries` (`account_id`, `amount`) VALUES (5, 18) /*controller:tickets,request_id:r96*/;
-- session 1
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 16 LIMIT 1 /*controller:tickets,request_id:r97*/;
SELECT `events`.* FROM `events` WHERE `events`.`id` = 3 LIMIT 1 /*controller:tickets,request_id:r97*/;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 23 LIMIT 1 /*controller:tickets,request_id:r98*/;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 3 LIMIT 1 /*controller:tickets,request_id:r99*/;
-- session 3
BEGIN;
-- session 2
SELECT `events`.* FROM `events` WHERE `events`.`id` = 4 LIMIT 1 /*controller:tickets,request_id:r98*/;
-- session 1
BEGIN;
-- session 3
INSERT INTO `comments` (`event_id`, `body`) VALUES (2, 'nice') /*controller:tickets,request_id:r100*/;
-- session 4
SELECT `tours`.* FROM `tours` WHERE `tours`.`id` = 5 LIMIT 1 /*controller:tickets,request_id:r99*/;
-- session 1
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 16 LIMIT 1 /*controller:tickets,request_id:r101*/;
INSERT INTO `tickets` (`event_id`, `holder`, `number`) VALUES (3, 16, 3) /*controller:tickets,request_id:r101*/;
-- session 3
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 2 /*controller:tickets,request_id:r100*/;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 3 LIMIT 1 /*controller:tickets,request_id:r102*/;
INSERT INTO `tickets` (`tour_id`, `holder`, `number`) VALUES (5, 3, 3) /*controller:tickets,request_id:r102*/;
-- session 1
UPDATE `events` SET `events`.`seats_left` = `events`.`seats_left` - 3 WHERE `events`.`id` = 3 /*controller:tickets,request_id:r101*/;
COMMIT;
-- session 2
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 23 LIMIT 1 /*controller:tickets,request_id:r103*/;
INSERT INTO `tickets` (`event_id`, `holder`, `number`) VALUES (4, 23, 4) /*controller:tickets,request_id:r103*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 22 LIMIT 1 /*controller:tickets,request_id:r104*/;
-- session 2
UPDATE `events` SET `events`.`seats_left` = `events`.`seats_left` - 4 WHERE `events`.`id` = 4 /*controller:tickets,request_id:r103*/;
-- session 4
UPDATE `tours` SET `tours`.`places_left` = `tours`.`places_left` - 3 WHERE `tours`.`id` = 5 AND `tours`.`places_left` >= 3 /*controller:tickets,request_id:r102*/;
-- session 1
BEGIN;
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 6 /*controller:tickets,request_id:r105*/;
INSERT INTO `entries` (`account_id`, `amount`) VALUES (6, -2) /*controller:tickets,request_id:r105*/;
COMMIT;
-- session 3
SELECT `events`.* FROM `events` WHERE `events`.`id` = 5 LIMIT 1 /*controller:tickets,request_id:r104*/;
-- session 4
COMMIT;
-- session 3
BEGIN;
-- session 2
COMMIT;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 19 LIMIT 1 /*controller:tickets,request_id:r107*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 22 LIMIT 1 /*controller:tickets,request_id:r106*/;
-- session 4
SELECT `tours`.* FROM `tours` WHERE `tours`.`id` = 4 LIMIT 1 /*controller:tickets,request_id:r107*/;
-- session 3
INSERT INTO `tickets` (`event_id`, `holder`, `number`) VALUES (5, 22, 2) /*controller:tickets,request_id:r106*/;
-- session 2
SELECT `films`.* FROM `films` WHERE `films`.`id` = 5 LIMIT 1 /*controller:tickets,request_id:r108*/;
-- session 1
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 21 LIMIT 1 /*controller:tickets,request_id:r109*/;
-- session 3
UPDATE `events` SET `events`.`seats_left` = `events`.`seats_left` - 2 WHERE `events`.`id` = 5 /*controller:tickets,request_id:r106*/;
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 1
SELECT `tours`.* FROM `tours` WHERE `tours`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r109*/;
-- session 3
COMMIT;
-- session 2
INSERT INTO `ratings` (`film_id`, `stars`) VALUES (5, 5) /*controller:tickets,request_id:r108*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 20 LIMIT 1 /*controller:tickets,request_id:r111*/;
-- session 1
BEGIN;
-- session 3
SELECT `tours`.* FROM `tours` WHERE `tours`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r111*/;
-- session 2
SELECT `films`.* FROM `films` WHERE `films`.`id` = 5 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r108*/;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 19 LIMIT 1 /*controller:tickets,request_id:r110*/;
-- session 2
SELECT AVG(`ratings`.`stars`) FROM `ratings` WHERE `ratings`.`film_id` = 5 /*controller:tickets,request_id:r108*/;
-- session 1
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 21 LIMIT 1 /*controller:tickets,request_id:r112*/;
-- session 4
INSERT INTO `tickets` (`tour_id`, `holder`, `number`) VALUES (4, 19, 3) /*controller:tickets,request_id:r110*/;
-- session 2
UPDATE `films` SET `films`.`score` = 3.0 WHERE `films`.`id` = 5 /*controller:tickets,request_id:r108*/;
-- session 3
BEGIN;
-- session 4
UPDATE `tours` SET `tours`.`places_left` = `tours`.`places_left` - 3 WHERE `tours`.`id` = 4 AND `tours`.`places_left` >= 3 /*controller:tickets,request_id:r110*/;
-- session 1
INSERT INTO `tickets` (`tour_id`, `holder`, `number`) VALUES (1, 21, 4) /*controller:tickets,request_id:r112*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 20 LIMIT 1 /*controller:tickets,request_id:r113*/;
-- session 2
COMMIT;
-- session 3
INSERT INTO `tickets` (`tour_id`, `holder`, `number`) VALUES (2, 20, 3) /*controller:tickets,request_id:r113*/;
-- session 4
COMMIT;
-- session 3
UPDATE `tours` SET `tours`.`places_left` = `tours`.`places_left` - 3 WHERE `tours`.`id` = 2 AND `tours`.`places_left` >= 3 /*controller:tickets,request_id:r113*/;
-- session 1
UPDATE `tours` SET `tours`.`places_left` = `tours`.`places_left` - 4 WHERE `tours`.`id` = 1 AND `tours`.`places_left` >= 4 /*controller:tickets,request_id:r112*/;
COMMIT;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 4
SELECT 1 AS one FROM `users` WHERE `users`.`email` = 'u48@example.org' LIMIT 1 /*controller:tickets,request_id:r114*/;
INSERT INTO `users` (`email`, `name`) VALUES ('u48@example.org', 'n') /*controller:tickets,request_id:r114*/;
COMMIT;
BEGIN;
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 4 AND `reservations`.`seat` = 2 LIMIT 1 /*controller:tickets,request_id:r116*/;
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (4, 2, 10) /*controller:tickets,request_id:r116*/;
-- session 2
SELECT `wallets`.* FROM `wallets` WHERE `wallets`.`id` = 3 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r115*/;
SELECT SUM(`moves`.`amount`) FROM `moves` WHERE `moves`.`wallet_id` = 3 /*controller:tickets,request_id:r115*/;
INSERT INTO `moves` (`wallet_id`, `amount`) VALUES (3, -10) /*controller:tickets,request_id:r115*/;
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 25 LIMIT 1 /*controller:tickets,request_id:r118*/;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 1
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 5 AND `reservations`.`seat` = 20 LIMIT 1 /*controller:tickets,request_id:r117*/;
-- session 3
SELECT `events`.* FROM `events` WHERE `events`.`id` = 1 LIMIT 1 /*controller:tickets,request_id:r118*/;
-- session 1
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (5, 20, 35) /*controller:tickets,request_id:r117*/;
-- session 2
SELECT `events`.* FROM `events` WHERE `events`.`id` = 5 LIMIT 1 /*controller:tickets,request_id:r119*/;
-- session 3
BEGIN;
-- session 4
SELECT `films`.* FROM `films` WHERE `films`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r121*/;
-- session 2
UPDATE `events` SET `events`.`title` = 'T70', `events`.`lock_version` = 1 WHERE `events`.`id` = 5 AND `events`.`lock_version` = 0 /*controller:tickets,request_id:r119*/;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 4
INSERT INTO `ratings` (`film_id`, `stars`) VALUES (2, 1) /*controller:tickets,request_id:r121*/;
-- session 1
BEGIN;
SELECT `wallets`.* FROM `wallets` WHERE `wallets`.`id` = 2 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r122*/;
-- session 4
SELECT `films`.* FROM `films` WHERE `films`.`id` = 2 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r121*/;
-- session 2
BEGIN;
SELECT `events`.* FROM `events` WHERE `events`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r123*/;
-- session 4
SELECT AVG(`ratings`.`stars`) FROM `ratings` WHERE `ratings`.`film_id` = 2 /*controller:tickets,request_id:r121*/;
-- session 2
UPDATE `events` SET `events`.`title` = 'T35', `events`.`lock_version` = 3 WHERE `events`.`id` = 2 AND `events`.`lock_version` = 2 /*controller:tickets,request_id:r123*/;
-- session 4
UPDATE `films` SET `films`.`score` = 1.8 WHERE `films`.`id` = 2 /*controller:tickets,request_id:r121*/;
-- session 3
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 25 LIMIT 1 /*controller:tickets,request_id:r120*/;
DELETE FROM `comments` WHERE `comments`.`id` = 56 /*controller:tickets,request_id:r120*/;
-- session 1
SELECT SUM(`moves`.`amount`) FROM `moves` WHERE `moves`.`wallet_id` = 2 /*controller:tickets,request_id:r122*/;
-- session 4
COMMIT;
-- session 3
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) - 1 WHERE `events`.`id` = 1 /*controller:tickets,request_id:r120*/;
COMMIT;
-- session 2
COMMIT;
-- session 1
INSERT INTO `moves` (`wallet_id`, `amount`) VALUES (2, -18) /*controller:tickets,request_id:r122*/;
-- session 4
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 38 LIMIT 1 /*controller:tickets,request_id:r124*/;
-- session 1
COMMIT;
-- session 4
SELECT `events`.* FROM `events` WHERE `events`.`id` = 2 LIMIT 1 /*controller:tickets,request_id:r124*/;
-- session 3
BEGIN;
-- session 4
BEGIN;
SELECT `carts`.* FROM `carts` WHERE `carts`.`user_id` = 38 LIMIT 1 /*controller:tickets,request_id:r126*/;
INSERT INTO `tickets` (`event_id`, `holder`, `number`) VALUES (2, 38, 3) /*controller:tickets,request_id:r126*/;
UPDATE `events` SET `events`.`seats_left` = `events`.`seats_left` - 3 WHERE `events`.`id` = 2 /*controller:tickets,request_id:r126*/;
COMMIT;
-- session 3
SELECT SUM(`entries`.`amount`) FROM `entries` WHERE `entries`.`account_id` = 5 /*controller:tickets,request_id:r125*/;
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 1
BEGIN;
-- session 3
INSERT INTO `entries` (`account_id`, `amount`) VALUES (5, -19) /*controller:tickets,request_id:r125*/;
COMMIT;
-- session 1
INSERT INTO `comments` (`event_id`, `body`) VALUES (5, 'nice') /*controller:tickets,request_id:r129*/;
UPDATE `events` SET `events`.`comments_count` = COALESCE(`events`.`comments_count`, 0) + 1 WHERE `events`.`id` = 5 /*controller:tickets,request_id:r129*/;
-- session 2
UPDATE `orders` SET `orders`.`state` = 'paid' WHERE `orders`.`id` = 310 AND `orders`.`state` = 'pending' /*controller:tickets,request_id:r127*/;
-- session 3
INSERT INTO `entries` (`account_id`, `amount`) VALUES (2, 3) /*controller:tickets,request_id:r130*/;
-- session 1
COMMIT;
-- session 2
INSERT INTO `receipts` (`order_id`, `text`) VALUES (310, 'paid') /*controller:tickets,request_id:r127*/;
COMMIT;
BEGIN;
-- session 3
BEGIN;
-- session 4
SELECT `wallets`.* FROM `wallets` WHERE `wallets`.`id` = 5 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r128*/;
SELECT SUM(`moves`.`amount`) FROM `moves` WHERE `moves`.`wallet_id` = 5 /*controller:tickets,request_id:r128*/;
INSERT INTO `moves` (`wallet_id`, `amount`) VALUES (5, -17) /*controller:tickets,request_id:r128*/;
-- session 3
SELECT 1 AS one FROM `reservations` WHERE `reservations`.`event_id` = 4 AND `reservations`.`seat` = 19 LIMIT 1 /*controller:tickets,request_id:r132*/;
-- session 4
COMMIT;
-- session 2
SELECT `wallets`.* FROM `wallets` WHERE `wallets`.`id` = 3 LIMIT 1 FOR UPDATE /*controller:tickets,request_id:r131*/;
SELECT SUM(`moves`.`amount`) FROM `moves` WHERE `moves`.`wallet_id` = 3 /*controller:tickets,request_id:r131*/;
-- session 3
INSERT INTO `reservations` (`event_id`, `seat`, `holder`) VALUES (4, 19, 21) /*controller:tickets,request_id:r132*/;
COMMIT;
-- session 2
INSERT INTO `moves` (`wallet_id`, `amount`) VALUES (3, -4) /*controller:tickets,request_id:r131*/;
COMMIT;
