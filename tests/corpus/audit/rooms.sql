-- about: rooms and desks; faults: a booking after a look for others that overlap, a place on the waiting list by MAX()+1, a booking for a guest who is deleted meanwhile, points that are read and written back; safe: desks under the lock of their room (not at snapshot isolation), one review per guest by a unique key, a cancellation that asks for the state, a check-in that computes, prices changed under FOR UPDATE
-- schema: rooms.ddl
-- at read-committed: lost update, phantom, read-only anomaly
-- first five at read-committed: guest.points, booking.room_id, waiting.room_id, guest.deleted_at
-- at snapshot-isolation: phantom, read-only anomaly
-- first five at snapshot-isolation: desk_booking.room_id, booking.room_id, waiting.room_id, guest.deleted_at
-- never: review
-- across transactions: none
-- session 1
START TRANSACTION;
-- session 2
START TRANSACTION;
-- session 4
START TRANSACTION;
-- session 3
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 1
SELECT `id` FROM `review` WHERE `room_id` = 3 AND `guest_id` = 15;
-- session 4
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 1
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (3, 15, 1);
-- session 4
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 1, 24);
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 3
SELECT `id`, `email` FROM `guest` WHERE `id` = 23 AND `deleted_at` IS NULL;
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' AND `starts` < '2027-01-21' AND `ends` > '2027-01-20';
-- session 2
SELECT `points` FROM `guest` WHERE `id` = 22;
-- session 1
START TRANSACTION;
-- session 5
SELECT `points` FROM `guest` WHERE `id` = 19;
-- session 3
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (2, 23, '2027-01-20', '2027-01-21', 'confirmed');
-- session 2
UPDATE `guest` SET `points` = 20 WHERE `id` = 22;
-- session 5
UPDATE `guest` SET `points` = 5 WHERE `id` = 19;
-- session 2
COMMIT;
-- session 4
START TRANSACTION;
-- session 5
COMMIT;
-- session 3
COMMIT;
-- session 2
START TRANSACTION;
-- session 1
SELECT `id`, `email` FROM `guest` WHERE `id` = 10 AND `deleted_at` IS NULL;
-- session 4
SELECT `id`, `email` FROM `guest` WHERE `id` = 1 AND `deleted_at` IS NULL;
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' AND `starts` < '2027-02-24' AND `ends` > '2027-02-23';
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (2, 10, '2027-02-23', '2027-02-24', 'confirmed');
-- session 3
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 4
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-03-06' AND `ends` > '2027-03-05';
-- session 1
COMMIT;
-- session 2
SELECT `id` FROM `review` WHERE `room_id` = 4 AND `guest_id` = 10;
-- session 4
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 1, '2027-03-05', '2027-03-06', 'confirmed');
-- session 5
SELECT `id` FROM `review` WHERE `room_id` = 3 AND `guest_id` = 10;
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 15 AND `state` = 'confirmed';
-- session 2
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (4, 10, 5);
-- session 4
COMMIT;
-- session 3
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 15;
-- session 2
COMMIT;
-- session 5
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (3, 10, 2);
COMMIT;
-- session 1
START TRANSACTION;
-- session 3
COMMIT;
-- session 2
START TRANSACTION;
SELECT `id`, `email` FROM `guest` WHERE `id` = 24 AND `deleted_at` IS NULL;
-- session 4
START TRANSACTION;
-- session 1
SELECT `price` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 4
SELECT `points` FROM `guest` WHERE `id` = 6;
-- session 1
UPDATE `room` SET `price` = 117 WHERE `id` = 4;
-- session 4
UPDATE `guest` SET `points` = 5 WHERE `id` = 6;
-- session 5
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' AND `starts` < '2027-02-16' AND `ends` > '2027-02-15';
-- session 1
COMMIT;
-- session 2
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (2, 24, '2027-02-15', '2027-02-16', 'confirmed');
-- session 3
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 12 AND `state` = 'confirmed';
-- session 1
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 3 AND `state` = 'confirmed';
-- session 3
SELECT `id` FROM `review` WHERE `room_id` = 4 AND `guest_id` = 3;
-- session 5
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 12;
-- session 2
START TRANSACTION;
-- session 3
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (4, 3, 2);
-- session 1
START TRANSACTION;
-- session 5
COMMIT;
-- session 4
START TRANSACTION;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 21;
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 3 AND `state` = 'confirmed';
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 2, 16);
-- session 4
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 21, 3);
-- session 3
COMMIT;
-- session 1
COMMIT;
-- session 2
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 3;
-- session 3
START TRANSACTION;
SELECT `id`, `email` FROM `guest` WHERE `id` = 8 AND `deleted_at` IS NULL;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 5
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 20 AND `state` = 'confirmed';
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' AND `starts` < '2027-01-24' AND `ends` > '2027-01-23';
-- session 1
START TRANSACTION;
-- session 4
START TRANSACTION;
-- session 2
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 20 AND `state` = 'confirmed';
-- session 1
SELECT `price` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 4
SELECT `id`, `email` FROM `guest` WHERE `id` = 19 AND `deleted_at` IS NULL;
-- session 3
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (1, 8, '2027-01-23', '2027-01-24', 'confirmed');
-- session 1
UPDATE `room` SET `price` = 121 WHERE `id` = 4;
-- session 5
START TRANSACTION;
-- session 4
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' AND `starts` < '2027-02-14' AND `ends` > '2027-02-13';
-- session 3
COMMIT;
-- session 5
SELECT `id` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 4
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (2, 19, '2027-02-13', '2027-02-14', 'confirmed');
-- session 1
COMMIT;
-- session 2
START TRANSACTION;
-- session 4
COMMIT;
-- session 2
SELECT `id` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 3
START TRANSACTION;
-- session 5
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 4 AND `day` = '2027-03-02';
-- session 1
START TRANSACTION;
-- session 5
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (4, 1, '2027-03-02', 20);
-- session 2
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 2 AND `day` = '2027-02-04';
-- session 3
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 5
COMMIT;
-- session 1
SELECT `points` FROM `guest` WHERE `id` = 15;
-- session 2
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (2, 1, '2027-02-04', 21);
-- session 1
UPDATE `guest` SET `points` = 10 WHERE `id` = 15;
COMMIT;
-- session 2
COMMIT;
-- session 4
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 4
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 21 AND `state` = 'confirmed';
-- session 1
START TRANSACTION;
-- session 5
SELECT `price` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 3
UPDATE `room` SET `price` = 94 WHERE `id` = 2;
-- session 4
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 21;
-- session 5
UPDATE `room` SET `price` = 84 WHERE `id` = 1;
-- session 1
SELECT `id` FROM `review` WHERE `room_id` = 3 AND `guest_id` = 13;
-- session 2
START TRANSACTION;
-- session 3
COMMIT;
-- session 1
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (3, 13, 4);
-- session 5
COMMIT;
-- session 2
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 4
COMMIT;
-- session 1
COMMIT;
-- session 4
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 15 AND `state` = 'confirmed';
-- session 2
UPDATE `room` SET `price` = 91 WHERE `id` = 2;
-- session 1
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 4 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 3
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 2;
-- session 2
COMMIT;
-- session 4
START TRANSACTION;
SELECT `id` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 1
START TRANSACTION;
-- session 5
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 12 AND `state` = 'confirmed';
-- session 4
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 3 AND `day` = '2027-01-01';
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 1 AND `state` = 'confirmed';
-- session 4
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (3, 1, '2027-01-01', 4);
-- session 1
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 1;
COMMIT;
-- session 3
START TRANSACTION;
-- session 2
START TRANSACTION;
-- session 4
COMMIT;
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 2
SELECT `points` FROM `guest` WHERE `id` = 23;
-- session 4
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 3
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 4
UPDATE `room` SET `price` = 95 WHERE `id` = 2;
-- session 5
SELECT `id` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 4
COMMIT;
-- session 2
UPDATE `guest` SET `points` = 5 WHERE `id` = 23;
-- session 5
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 4 AND `day` = '2027-03-05';
-- session 3
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-02-05';
-- session 1
START TRANSACTION;
-- session 2
COMMIT;
-- session 3
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 1, '2027-02-05', 7);
-- session 4
START TRANSACTION;
-- session 5
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (4, 1, '2027-03-05', 21);
-- session 3
COMMIT;
-- session 1
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 12;
-- session 5
COMMIT;
-- session 4
SELECT `points` FROM `guest` WHERE `id` = 3;
-- session 2
START TRANSACTION;
-- session 4
UPDATE `guest` SET `points` = 10 WHERE `id` = 3;
-- session 1
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 12, 1);
-- session 4
COMMIT;
-- session 2
SELECT `id` FROM `review` WHERE `room_id` = 4 AND `guest_id` = 5;
-- session 1
COMMIT;
-- session 2
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (4, 5, 2);
COMMIT;
-- session 5
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 4
START TRANSACTION;
-- session 3
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 4
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 1
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 1;
-- session 2
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 4
UPDATE `room` SET `price` = 92 WHERE `id` = 2;
-- session 5
START TRANSACTION;
-- session 4
COMMIT;
-- session 3
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 4;
-- session 1
START TRANSACTION;
-- session 2
START TRANSACTION;
-- session 4
START TRANSACTION;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 1;
-- session 5
SELECT `price` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 4
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 18 AND `state` = 'confirmed';
-- session 2
SELECT `points` FROM `guest` WHERE `id` = 5;
-- session 5
UPDATE `room` SET `price` = 88 WHERE `id` = 1;
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (1, 1, 14);
-- session 5
COMMIT;
-- session 3
START TRANSACTION;
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 16;
-- session 4
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 18;
-- session 2
UPDATE `guest` SET `points` = 20 WHERE `id` = 5;
-- session 1
COMMIT;
-- session 3
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 16, 2);
-- session 5
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 19 AND `state` = 'confirmed';
-- session 1
START TRANSACTION;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 5
START TRANSACTION;
-- session 3
COMMIT;
-- session 1
SELECT `id` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 5
SELECT `id` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 4
START TRANSACTION;
-- session 5
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 4 AND `day` = '2027-02-05';
-- session 3
START TRANSACTION;
-- session 2
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 27 AND `state` = 'confirmed';
-- session 1
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 2 AND `day` = '2027-02-03';
-- session 5
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (4, 1, '2027-02-05', 1);
COMMIT;
-- session 3
SELECT `price` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 4
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 1
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (2, 1, '2027-02-03', 21);
-- session 2
START TRANSACTION;
-- session 4
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 3, 5);
-- session 3
UPDATE `room` SET `price` = 67 WHERE `id` = 3;
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 5
START TRANSACTION;
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 21 AND `state` = 'confirmed';
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 21;
-- session 4
COMMIT;
-- session 5
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 20;
-- session 2
COMMIT;
-- session 5
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 20, 2);
-- session 3
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 1;
-- session 1
START TRANSACTION;
-- session 5
COMMIT;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 4;
-- session 4
START TRANSACTION;
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (4, 1, 17);
-- session 2
START TRANSACTION;
-- session 4
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 5
START TRANSACTION;
-- session 1
COMMIT;
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 21 AND `state` = 'confirmed';
-- session 4
UPDATE `room` SET `price` = 89 WHERE `id` = 2;
-- session 3
START TRANSACTION;
-- session 2
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 21;
COMMIT;
-- session 5
SELECT `points` FROM `guest` WHERE `id` = 15;
-- session 3
SELECT `id` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 4
COMMIT;
-- session 1
START TRANSACTION;
-- session 3
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 3 AND `day` = '2027-02-01';
-- session 5
UPDATE `guest` SET `points` = 30 WHERE `id` = 15;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 1;
-- session 4
START TRANSACTION;
-- session 3
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (3, 1, '2027-02-01', 19);
COMMIT;
-- session 2
START TRANSACTION;
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (1, 2, 3);
-- session 4
SELECT `id`, `email` FROM `guest` WHERE `id` = 15 AND `deleted_at` IS NULL;
-- session 5
COMMIT;
-- session 4
ROLLBACK;
-- session 2
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 1
COMMIT;
-- session 3
START TRANSACTION;
-- session 2
UPDATE `room` SET `price` = 93 WHERE `id` = 2;
-- session 1
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 5
START TRANSACTION;
-- session 3
SELECT `id` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 4
START TRANSACTION;
-- session 2
COMMIT;
-- session 3
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 4 AND `day` = '2027-02-05';
-- session 4
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 3
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (4, 2, '2027-02-05', 16);
-- session 2
START TRANSACTION;
-- session 5
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 1;
-- session 4
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-01-01';
-- session 1
START TRANSACTION;
-- session 2
SELECT `id` FROM `review` WHERE `room_id` = 2 AND `guest_id` = 18;
-- session 3
COMMIT;
-- session 4
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 1, '2027-01-01', 5);
COMMIT;
-- session 2
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (2, 18, 3);
-- session 5
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (1, 3, 3);
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 4 AND `state` = 'confirmed';
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 4;
-- session 3
START TRANSACTION;
-- session 2
COMMIT;
-- session 5
COMMIT;
-- session 4
START TRANSACTION;
-- session 1
COMMIT;
-- session 3
SELECT `points` FROM `guest` WHERE `id` = 13;
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 3;
-- session 3
UPDATE `guest` SET `points` = 20 WHERE `id` = 13;
-- session 4
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 3, 4);
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 2
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 1
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 4 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 5
SELECT `id` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 2
SELECT `points` FROM `guest` WHERE `id` = 4;
-- session 5
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 3 AND `day` = '2027-03-03';
-- session 3
START TRANSACTION;
-- session 2
UPDATE `guest` SET `points` = 10 WHERE `id` = 4;
-- session 3
SELECT `id` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 4
START TRANSACTION;
-- session 3
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 2 AND `day` = '2027-02-01';
-- session 5
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (3, 1, '2027-03-03', 22);
-- session 3
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (2, 1, '2027-02-01', 11);
-- session 2
COMMIT;
-- session 4
SELECT `points` FROM `guest` WHERE `id` = 21;
-- session 3
COMMIT;
-- session 1
START TRANSACTION;
-- session 5
COMMIT;
-- session 4
UPDATE `guest` SET `points` = 20 WHERE `id` = 21;
COMMIT;
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 4;
-- session 3
START TRANSACTION;
-- session 2
START TRANSACTION;
-- session 3
SELECT `id`, `email` FROM `guest` WHERE `id` = 19 AND `deleted_at` IS NULL;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 4
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' AND `starts` < '2027-01-21' AND `ends` > '2027-01-20';
ROLLBACK;
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 4 AND `guest_id` = 10;
-- session 5
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 2
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 3;
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 4, 7);
-- session 5
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-02-02';
-- session 4
ROLLBACK;
-- session 1
COMMIT;
-- session 3
START TRANSACTION;
-- session 4
START TRANSACTION;
-- session 5
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 1, '2027-02-02', 14);
-- session 3
SELECT `points` FROM `guest` WHERE `id` = 5;
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (3, 1, 3);
-- session 5
COMMIT;
-- session 3
UPDATE `guest` SET `points` = 40 WHERE `id` = 5;
-- session 4
SELECT `id`, `email` FROM `guest` WHERE `id` = 17 AND `deleted_at` IS NULL;
-- session 3
COMMIT;
-- session 2
COMMIT;
-- session 1
START TRANSACTION;
-- session 4
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 4 AND `state` = 'confirmed' AND `starts` < '2027-03-18' AND `ends` > '2027-03-17';
-- session 3
START TRANSACTION;
-- session 4
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (4, 17, '2027-03-17', '2027-03-18', 'confirmed');
-- session 3
SELECT `points` FROM `guest` WHERE `id` = 1;
-- session 1
SELECT `price` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 1;
-- session 3
UPDATE `guest` SET `points` = 10 WHERE `id` = 1;
-- session 1
UPDATE `room` SET `price` = 118 WHERE `id` = 4;
COMMIT;
-- session 5
START TRANSACTION;
-- session 2
START TRANSACTION;
-- session 5
SELECT `id`, `email` FROM `guest` WHERE `id` = 7 AND `deleted_at` IS NULL;
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 1
START TRANSACTION;
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-01-26' AND `ends` > '2027-01-25';
-- session 2
SELECT `price` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 3;
-- session 5
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 7, '2027-01-25', '2027-01-26', 'confirmed');
-- session 3
START TRANSACTION;
-- session 2
UPDATE `room` SET `price` = 122 WHERE `id` = 4;
-- session 4
START TRANSACTION;
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (3, 2, 11);
-- session 5
COMMIT;
-- session 2
COMMIT;
-- session 3
SELECT `id` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 1
COMMIT;
-- session 3
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 2 AND `day` = '2027-03-03';
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 2;
-- session 4
SELECT `id`, `email` FROM `guest` WHERE `id` = 9 AND `deleted_at` IS NULL;
-- session 3
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (2, 1, '2027-03-03', 9);
-- session 4
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' AND `starts` < '2027-01-08' AND `ends` > '2027-01-07';
-- session 2
START TRANSACTION;
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 3
COMMIT;
-- session 4
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (1, 9, '2027-01-07', '2027-01-08', 'confirmed');
-- session 1
START TRANSACTION;
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 5, 11);
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 1
SELECT `id`, `email` FROM `guest` WHERE `id` = 15 AND `deleted_at` IS NULL;
-- session 5
START TRANSACTION;
-- session 1
ROLLBACK;
-- session 3
START TRANSACTION;
-- session 5
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 3
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 15;
-- session 2
START TRANSACTION;
-- session 1
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 1;
-- session 4
START TRANSACTION;
-- session 2
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 3
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 15, 3);
-- session 5
UPDATE `room` SET `price` = 97 WHERE `id` = 2;
-- session 1
START TRANSACTION;
-- session 4
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 4 AND `state` = 'confirmed';
-- session 3
COMMIT;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 3;
-- session 5
COMMIT;
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 6, 17);
-- session 4
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 4;
-- session 3
START TRANSACTION;
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (3, 3, 15);
-- session 4
COMMIT;
-- session 5
START TRANSACTION;
-- session 2
COMMIT;
-- session 3
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 4
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 1
COMMIT;
-- session 5
SELECT `id` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 2
START TRANSACTION;
-- session 3
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 7, 9);
-- session 2
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 4;
-- session 4
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 5
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 4 AND `day` = '2027-03-05';
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (4, 2, 18);
-- session 1
START TRANSACTION;
-- session 3
COMMIT;
-- session 2
COMMIT;
-- session 5
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (4, 2, '2027-03-05', 18);
-- session 4
START TRANSACTION;
-- session 5
COMMIT;
-- session 4
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 1;
-- session 2
START TRANSACTION;
-- session 1
SELECT `id` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 4
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (1, 4, 21);
-- session 3
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 1
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 3 AND `day` = '2027-01-03';
-- session 2
SELECT `id` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 4
COMMIT;
-- session 1
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (3, 1, '2027-01-03', 21);
-- session 5
START TRANSACTION;
-- session 4
START TRANSACTION;
-- session 2
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 2 AND `day` = '2027-02-02';
-- session 1
COMMIT;
-- session 3
START TRANSACTION;
-- session 5
SELECT `id`, `email` FROM `guest` WHERE `id` = 23 AND `deleted_at` IS NULL;
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 2 AND `guest_id` = 13;
-- session 2
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (2, 1, '2027-02-02', 4);
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 12 AND `state` = 'confirmed';
-- session 4
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (2, 13, 3);
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' AND `starts` < '2027-01-26' AND `ends` > '2027-01-25';
-- session 2
COMMIT;
-- session 3
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 12;
-- session 1
START TRANSACTION;
-- session 5
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (2, 23, '2027-01-25', '2027-01-26', 'confirmed');
-- session 4
COMMIT;
-- session 3
COMMIT;
-- session 5
COMMIT;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 1;
-- session 2
START TRANSACTION;
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (1, 5, 1);
-- session 3
START TRANSACTION;
-- session 2
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 1;
-- session 1
COMMIT;
-- session 4
START TRANSACTION;
-- session 5
START TRANSACTION;
SELECT `id`, `email` FROM `guest` WHERE `id` = 11 AND `deleted_at` IS NULL;
-- session 3
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 6;
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (1, 6, 14);
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 4 AND `state` = 'confirmed' AND `starts` < '2027-01-23' AND `ends` > '2027-01-22';
-- session 2
COMMIT;
-- session 3
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-03-02';
-- session 4
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 6, 2);
-- session 5
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (4, 11, '2027-01-22', '2027-01-23', 'confirmed');
-- session 1
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 4 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 2
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 24 AND `state` = 'confirmed';
-- session 4
COMMIT;
-- session 3
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 1, '2027-03-02', 14);
-- session 5
COMMIT;
-- session 3
COMMIT;
-- session 1
START TRANSACTION;
-- session 2
START TRANSACTION;
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 3;
-- session 4
START TRANSACTION;
-- session 1
SELECT `id`, `email` FROM `guest` WHERE `id` = 8 AND `deleted_at` IS NULL;
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 4;
-- session 3
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 25 AND `state` = 'confirmed';
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 24;
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-02-17' AND `ends` > '2027-02-16';
-- session 2
SELECT `id` FROM `review` WHERE `room_id` = 4 AND `guest_id` = 7;
-- session 5
START TRANSACTION;
SELECT `id` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 4
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 24, 2);
-- session 1
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 8, '2027-02-16', '2027-02-17', 'confirmed');
-- session 4
COMMIT;
-- session 5
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 2 AND `day` = '2027-01-01';
-- session 2
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (4, 7, 3);
-- session 1
COMMIT;
-- session 3
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 20 AND `state` = 'confirmed';
-- session 5
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (2, 1, '2027-01-01', 9);
-- session 4
START TRANSACTION;
-- session 2
COMMIT;
-- session 5
COMMIT;
-- session 4
SELECT `points` FROM `guest` WHERE `id` = 17;
UPDATE `guest` SET `points` = 20 WHERE `id` = 17;
-- session 1
START TRANSACTION;
-- session 3
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 1
SELECT `price` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 5
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 22;
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 22, 1);
-- session 4
COMMIT;
-- session 1
UPDATE `room` SET `price` = 71 WHERE `id` = 3;
-- session 3
SELECT `price` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 2
START TRANSACTION;
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 15;
-- session 1
COMMIT;
-- session 2
ROLLBACK;
-- session 5
COMMIT;
-- session 4
START TRANSACTION;
-- session 1
START TRANSACTION;
-- session 3
UPDATE `room` SET `price` = 75 WHERE `id` = 3;
-- session 2
START TRANSACTION;
-- session 4
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 19 AND `state` = 'confirmed';
-- session 3
COMMIT;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 3;
-- session 4
UPDATE `room` SET `price` = 101 WHERE `id` = 2;
-- session 2
ROLLBACK;
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (3, 4, 12);
-- session 3
START TRANSACTION;
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 1;
-- session 3
SELECT `price` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 1
COMMIT;
-- session 3
UPDATE `room` SET `price` = 92 WHERE `id` = 1;
-- session 4
COMMIT;
-- session 2
START TRANSACTION;
-- session 3
COMMIT;
-- session 4
START TRANSACTION;
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 1 AND `state` = 'confirmed';
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 4;
-- session 1
START TRANSACTION;
-- session 2
SELECT `id` FROM `review` WHERE `room_id` = 3 AND `guest_id` = 3;
-- session 4
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 1;
COMMIT;
-- session 1
SELECT `points` FROM `guest` WHERE `id` = 13;
-- session 3
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 11 AND `state` = 'confirmed';
-- session 1
UPDATE `guest` SET `points` = 40 WHERE `id` = 13;
-- session 2
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (3, 3, 2);
-- session 4
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 19 AND `state` = 'confirmed';
-- session 3
ROLLBACK;
-- session 2
COMMIT;
-- session 4
START TRANSACTION;
-- session 1
COMMIT;
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 6 AND `state` = 'confirmed';
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 2;
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 2, 4);
-- session 3
START TRANSACTION;
-- session 1
START TRANSACTION;
-- session 5
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 6;
-- session 2
START TRANSACTION;
-- session 4
COMMIT;
-- session 5
COMMIT;
-- session 3
SELECT `points` FROM `guest` WHERE `id` = 5;
-- session 1
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 7;
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 7, 2);
-- session 4
START TRANSACTION;
-- session 3
UPDATE `guest` SET `points` = 45 WHERE `id` = 5;
-- session 1
COMMIT;
-- session 2
SELECT `points` FROM `guest` WHERE `id` = 22;
-- session 5
START TRANSACTION;
SELECT `id`, `email` FROM `guest` WHERE `id` = 10 AND `deleted_at` IS NULL;
-- session 3
COMMIT;
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 4 AND `guest_id` = 20;
-- session 2
UPDATE `guest` SET `points` = 40 WHERE `id` = 22;
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' AND `starts` < '2027-02-25' AND `ends` > '2027-02-24';
-- session 4
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (4, 20, 5);
-- session 5
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (2, 10, '2027-02-24', '2027-02-25', 'confirmed');
-- session 4
COMMIT;
-- session 1
START TRANSACTION;
-- session 3
START TRANSACTION;
-- session 2
COMMIT;
-- session 5
COMMIT;
-- session 4
START TRANSACTION;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 3;
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (3, 5, 4);
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 22 AND `state` = 'confirmed';
-- session 2
START TRANSACTION;
-- session 4
SELECT `id` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 1
COMMIT;
-- session 2
SELECT `id`, `email` FROM `guest` WHERE `id` = 9 AND `deleted_at` IS NULL;
-- session 5
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 3
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 22;
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-02-09' AND `ends` > '2027-02-08';
-- session 4
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 2 AND `day` = '2027-03-01';
-- session 5
START TRANSACTION;
-- session 2
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 9, '2027-02-08', '2027-02-09', 'confirmed');
-- session 1
START TRANSACTION;
-- session 3
COMMIT;
-- session 4
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (2, 1, '2027-03-01', 19);
-- session 5
SELECT `id`, `email` FROM `guest` WHERE `id` = 7 AND `deleted_at` IS NULL;
-- session 2
COMMIT;
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 22 AND `state` = 'confirmed';
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-02-21' AND `ends` > '2027-02-20';
-- session 4
COMMIT;
-- session 2
START TRANSACTION;
-- session 1
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 22;
-- session 5
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 7, '2027-02-20', '2027-02-21', 'confirmed');
-- session 3
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 2
SELECT `points` FROM `guest` WHERE `id` = 23;
UPDATE `guest` SET `points` = 10 WHERE `id` = 23;
-- session 5
COMMIT;
-- session 1
COMMIT;
-- session 3
START TRANSACTION;
-- session 2
COMMIT;
-- session 3
SELECT `id`, `email` FROM `guest` WHERE `id` = 5 AND `deleted_at` IS NULL;
-- session 4
START TRANSACTION;
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-01-21' AND `ends` > '2027-01-20';
-- session 4
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 1 AND `state` = 'confirmed';
-- session 1
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 2;
-- session 4
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 1;
-- session 3
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 5, '2027-01-20', '2027-01-21', 'confirmed');
-- session 5
START TRANSACTION;
-- session 4
COMMIT;
-- session 2
START TRANSACTION;
-- session 1
START TRANSACTION;
-- session 3
COMMIT;
-- session 5
SELECT `points` FROM `guest` WHERE `id` = 3;
UPDATE `guest` SET `points` = 30 WHERE `id` = 3;
-- session 4
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 14 AND `state` = 'confirmed';
-- session 2
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 1
SELECT `price` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 3
START TRANSACTION;
-- session 1
UPDATE `room` SET `price` = 79 WHERE `id` = 3;
-- session 5
COMMIT;
-- session 1
COMMIT;
-- session 2
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-02-02';
-- session 3
SELECT `points` FROM `guest` WHERE `id` = 4;
-- session 4
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 12 AND `state` = 'confirmed';
-- session 3
UPDATE `guest` SET `points` = 20 WHERE `id` = 4;
-- session 2
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 2, '2027-02-02', 9);
COMMIT;
-- session 3
COMMIT;
-- session 5
START TRANSACTION;
-- session 1
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 8 AND `state` = 'confirmed';
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 17 AND `state` = 'confirmed';
-- session 4
START TRANSACTION;
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 2 AND `state` = 'confirmed';
-- session 5
ROLLBACK;
-- session 3
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 2
START TRANSACTION;
-- session 4
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 2;
-- session 1
START TRANSACTION;
-- session 4
COMMIT;
-- session 2
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 1
SELECT `id` FROM `review` WHERE `room_id` = 4 AND `guest_id` = 10;
-- session 5
START TRANSACTION;
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 8, 2);
-- session 1
ROLLBACK;
-- session 2
COMMIT;
-- session 5
SELECT `points` FROM `guest` WHERE `id` = 2;
-- session 3
START TRANSACTION;
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 5
UPDATE `guest` SET `points` = 20 WHERE `id` = 2;
-- session 4
START TRANSACTION;
-- session 1
START TRANSACTION;
-- session 3
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 9, 17);
-- session 5
COMMIT;
-- session 4
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 1
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 19;
-- session 3
COMMIT;
-- session 4
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 9, 16);
-- session 1
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (1, 19, 3);
-- session 2
START TRANSACTION;
-- session 1
COMMIT;
-- session 2
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 3
START TRANSACTION;
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 4;
-- session 4
COMMIT;
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 10, 15);
-- session 3
SELECT `id`, `email` FROM `guest` WHERE `id` = 23 AND `deleted_at` IS NULL;
-- session 1
START TRANSACTION;
-- session 4
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 24 AND `state` = 'confirmed';
-- session 2
COMMIT;
-- session 5
START TRANSACTION;
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 15 AND `state` = 'confirmed';
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-01-10' AND `ends` > '2027-01-09';
-- session 1
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 15;
COMMIT;
-- session 4
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 1 AND `state` = 'confirmed';
-- session 2
START TRANSACTION;
-- session 3
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 23, '2027-01-09', '2027-01-10', 'confirmed');
-- session 5
SELECT `price` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 2
SELECT `points` FROM `guest` WHERE `id` = 16;
-- session 3
COMMIT;
-- session 5
UPDATE `room` SET `price` = 89 WHERE `id` = 1;
-- session 4
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 1;
-- session 5
COMMIT;
-- session 2
UPDATE `guest` SET `points` = 20 WHERE `id` = 16;
COMMIT;
-- session 1
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 18 AND `state` = 'confirmed';
-- session 3
START TRANSACTION;
SELECT `id` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 4
START TRANSACTION;
-- session 3
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 3 AND `day` = '2027-02-04';
-- session 5
START TRANSACTION;
-- session 4
SELECT `price` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 1
START TRANSACTION;
-- session 3
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (3, 1, '2027-02-04', 10);
-- session 1
SELECT `id`, `email` FROM `guest` WHERE `id` = 20 AND `deleted_at` IS NULL;
-- session 2
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 2;
-- session 5
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 4 AND `state` = 'confirmed' AND `starts` < '2027-01-02' AND `ends` > '2027-01-01';
-- session 4
UPDATE `room` SET `price` = 119 WHERE `id` = 4;
-- session 3
COMMIT;
-- session 5
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-03-04';
-- session 4
COMMIT;
-- session 1
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (4, 20, '2027-01-01', '2027-01-02', 'confirmed');
-- session 2
START TRANSACTION;
-- session 3
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 4 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 5
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 1, '2027-03-04', 16);
-- session 1
COMMIT;
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 22 AND `state` = 'confirmed';
-- session 5
COMMIT;
-- session 4
START TRANSACTION;
-- session 2
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 22;
-- session 3
START TRANSACTION;
-- session 5
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 9 AND `state` = 'confirmed';
-- session 3
SELECT `id` FROM `review` WHERE `room_id` = 3 AND `guest_id` = 4;
-- session 4
SELECT `id` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 3
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (3, 4, 3);
-- session 2
COMMIT;
-- session 1
START TRANSACTION;
-- session 2
START TRANSACTION;
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 22 AND `state` = 'confirmed';
-- session 4
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 3 AND `day` = '2027-01-03';
-- session 3
COMMIT;
-- session 4
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (3, 2, '2027-01-03', 11);
-- session 2
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 1;
-- session 1
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 22;
-- session 4
COMMIT;
-- session 1
COMMIT;
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (1, 7, 9);
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 1;
-- session 3
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 1
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 2 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 4
START TRANSACTION;
-- session 2
COMMIT;
-- session 5
START TRANSACTION;
-- session 4
SELECT `points` FROM `guest` WHERE `id` = 23;
-- session 3
START TRANSACTION;
-- session 4
UPDATE `guest` SET `points` = 30 WHERE `id` = 23;
-- session 5
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 3;
-- session 1
START TRANSACTION;
-- session 4
COMMIT;
-- session 2
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 29 AND `state` = 'confirmed';
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 15 AND `state` = 'confirmed';
-- session 1
SELECT `id`, `email` FROM `guest` WHERE `id` = 23 AND `deleted_at` IS NULL;
-- session 5
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (3, 6, 23);
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' AND `starts` < '2027-02-21' AND `ends` > '2027-02-20';
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (1, 23, '2027-02-20', '2027-02-21', 'confirmed');
-- session 5
COMMIT;
-- session 3
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 15;
-- session 2
START TRANSACTION;
-- session 1
COMMIT;
-- session 4
START TRANSACTION;
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 7 AND `state` = 'confirmed';
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 2 AND `guest_id` = 5;
-- session 2
ROLLBACK;
-- session 3
COMMIT;
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 3;
-- session 2
START TRANSACTION;
-- session 4
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (2, 5, 5);
-- session 1
START TRANSACTION;
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 2;
-- session 1
SELECT `id` FROM `room` WHERE `id` = 4 FOR UPDATE;
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 4 AND `day` = '2027-02-01';
-- session 3
START TRANSACTION;
-- session 4
COMMIT;
-- session 1
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (4, 1, '2027-02-01', 5);
COMMIT;
-- session 3
SELECT `id`, `email` FROM `guest` WHERE `id` = 16 AND `deleted_at` IS NULL;
-- session 4
START TRANSACTION;
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-01-06' AND `ends` > '2027-01-05';
-- session 2
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 5
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 19 AND `state` = 'confirmed';
-- session 3
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 16, '2027-01-05', '2027-01-06', 'confirmed');
COMMIT;
-- session 4
SELECT `id` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 1
START TRANSACTION;
-- session 2
UPDATE `room` SET `price` = 105 WHERE `id` = 2;
-- session 1
SELECT `points` FROM `guest` WHERE `id` = 4;
-- session 4
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 3 AND `day` = '2027-01-04';
-- session 3
START TRANSACTION;
-- session 2
COMMIT;
-- session 4
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (3, 1, '2027-01-04', 10);
-- session 5
START TRANSACTION;
-- session 1
UPDATE `guest` SET `points` = 30 WHERE `id` = 4;
-- session 2
START TRANSACTION;
-- session 4
COMMIT;
-- session 3
SELECT `price` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 14 AND `state` = 'confirmed';
-- session 1
COMMIT;
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 2;
-- session 2
SELECT `price` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 5
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 14;
-- session 3
UPDATE `room` SET `price` = 86 WHERE `id` = 1;
-- session 2
UPDATE `room` SET `price` = 116 WHERE `id` = 4;
-- session 4
START TRANSACTION;
-- session 5
COMMIT;
-- session 3
COMMIT;
-- session 4
SELECT `id` FROM `review` WHERE `room_id` = 2 AND `guest_id` = 8;
-- session 2
COMMIT;
-- session 4
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (2, 8, 1);
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 1;
-- session 3
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 4;
-- session 1
START TRANSACTION;
-- session 4
COMMIT;
-- session 1
SELECT `price` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 2
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 4 AND `state` = 'confirmed';
-- session 1
UPDATE `room` SET `price` = 83 WHERE `id` = 1;
COMMIT;
-- session 5
START TRANSACTION;
-- session 3
START TRANSACTION;
-- session 4
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 2;
-- session 2
START TRANSACTION;
-- session 5
SELECT `id`, `email` FROM `guest` WHERE `id` = 3 AND `deleted_at` IS NULL;
-- session 2
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 3;
-- session 5
ROLLBACK;
-- session 4
START TRANSACTION;
-- session 3
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (3, 7, 18);
-- session 3
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-01-03';
-- session 2
COMMIT;
-- session 4
SELECT `id`, `email` FROM `guest` WHERE `id` = 5 AND `deleted_at` IS NULL;
-- session 3
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 1, '2027-01-03', 15);
-- session 1
START TRANSACTION;
-- session 3
COMMIT;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 4
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-01-24' AND `ends` > '2027-01-23';
-- session 5
START TRANSACTION;
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 11, 24);
-- session 5
SELECT `points` FROM `guest` WHERE `id` = 13;
-- session 4
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 5, '2027-01-23', '2027-01-24', 'confirmed');
-- session 5
UPDATE `guest` SET `points` = 50 WHERE `id` = 13;
-- session 3
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 5 AND `state` = 'confirmed';
-- session 2
START TRANSACTION;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 5
COMMIT;
-- session 2
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 3
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 3;
-- session 2
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-03-02';
-- session 4
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 22 AND `state` = 'confirmed';
-- session 1
START TRANSACTION;
-- session 2
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 2, '2027-03-02', 5);
-- session 3
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 4 AND `state` = 'confirmed';
-- session 5
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 23 AND `state` = 'confirmed';
-- session 1
SELECT `id` FROM `review` WHERE `room_id` = 4 AND `guest_id` = 5;
-- session 5
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 3;
-- session 4
START TRANSACTION;
-- session 3
START TRANSACTION;
-- session 4
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 1
ROLLBACK;
-- session 2
COMMIT;
-- session 4
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 12, 3);
-- session 3
SELECT `id` FROM `room` WHERE `id` = 3 FOR UPDATE;
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 3 AND `day` = '2027-03-02';
-- session 1
START TRANSACTION;
-- session 5
START TRANSACTION;
-- session 3
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (3, 1, '2027-03-02', 24);
-- session 1
SELECT `id` FROM `review` WHERE `room_id` = 2 AND `guest_id` = 4;
-- session 4
COMMIT;
-- session 5
SELECT `id`, `email` FROM `guest` WHERE `id` = 16 AND `deleted_at` IS NULL;
-- session 2
START TRANSACTION;
-- session 1
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (2, 4, 5);
-- session 3
COMMIT;
-- session 2
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 4;
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' AND `starts` < '2027-01-26' AND `ends` > '2027-01-25';
-- session 2
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (4, 3, 8);
-- session 4
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 6 AND `state` = 'confirmed';
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 3
START TRANSACTION;
-- session 5
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (1, 16, '2027-01-25', '2027-01-26', 'confirmed');
-- session 4
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 25 AND `state` = 'confirmed';
-- session 1
START TRANSACTION;
-- session 3
SELECT `price` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 2
START TRANSACTION;
-- session 3
UPDATE `room` SET `price` = 83 WHERE `id` = 3;
-- session 2
SELECT `points` FROM `guest` WHERE `id` = 5;
-- session 1
SELECT `id`, `email` FROM `guest` WHERE `id` = 17 AND `deleted_at` IS NULL;
-- session 3
COMMIT;
-- session 5
COMMIT;
-- session 4
START TRANSACTION;
-- session 2
UPDATE `guest` SET `points` = 55 WHERE `id` = 5;
-- session 4
SELECT `id`, `email` FROM `guest` WHERE `id` = 14 AND `deleted_at` IS NULL;
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 3 AND `state` = 'confirmed' AND `starts` < '2027-01-20' AND `ends` > '2027-01-19';
-- session 4
ROLLBACK;
-- session 1
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (3, 17, '2027-01-19', '2027-01-20', 'confirmed');
-- session 5
START TRANSACTION;
-- session 2
COMMIT;
-- session 3
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 2 AND `state` = 'confirmed';
-- session 1
COMMIT;
-- session 4
START TRANSACTION;
-- session 5
SELECT `points` FROM `guest` WHERE `id` = 16;
-- session 4
SELECT `id` FROM `room` WHERE `id` = 4 FOR UPDATE;
-- session 5
UPDATE `guest` SET `points` = 25 WHERE `id` = 16;
-- session 2
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 12 AND `state` = 'confirmed';
-- session 4
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 4 AND `day` = '2027-02-02';
-- session 1
START TRANSACTION;
-- session 4
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (4, 1, '2027-02-02', 22);
-- session 3
START TRANSACTION;
-- session 2
START TRANSACTION;
-- session 1
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 1;
-- session 5
COMMIT;
-- session 3
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 6 AND `state` = 'confirmed';
-- session 1
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (1, 8, 4);
-- session 4
COMMIT;
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 8 AND `state` = 'confirmed';
-- session 3
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 6;
-- session 1
COMMIT;
-- session 2
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 8;
-- session 5
START TRANSACTION;
-- session 2
COMMIT;
-- session 3
COMMIT;
-- session 4
START TRANSACTION;
-- session 5
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 6 AND `state` = 'confirmed';
-- session 4
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 2;
-- session 5
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 6;
-- session 2
START TRANSACTION;
-- session 1
START TRANSACTION;
-- session 4
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (2, 13, 4);
-- session 5
COMMIT;
-- session 3
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 21 AND `state` = 'confirmed';
-- session 2
SELECT `id` FROM `review` WHERE `room_id` = 4 AND `guest_id` = 4;
-- session 4
COMMIT;
-- session 1
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 20 AND `state` = 'confirmed';
ROLLBACK;
-- session 2
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (4, 4, 1);
-- session 5
START TRANSACTION;
-- session 1
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 5
SELECT `points` FROM `guest` WHERE `id` = 7;
-- session 2
COMMIT;
-- session 5
UPDATE `guest` SET `points` = 5 WHERE `id` = 7;
-- session 3
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 4;
-- session 4
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 4;
-- session 5
COMMIT;
-- session 3
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 1;
-- session 4
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 4;
-- session 2
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 3;
-- session 5
START TRANSACTION;
-- session 1
START TRANSACTION;
-- session 5
SELECT COALESCE(MAX(`position`), 0) FROM `waiting` WHERE `room_id` = 3;
-- session 1
SELECT `points` FROM `guest` WHERE `id` = 5;
-- session 2
START TRANSACTION;
-- session 5
INSERT INTO `waiting` (`room_id`, `position`, `guest_id`) VALUES (3, 8, 8);
-- session 2
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 3
START TRANSACTION;
-- session 1
UPDATE `guest` SET `points` = 75 WHERE `id` = 5;
-- session 5
COMMIT;
-- session 2
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-03-02';
-- session 3
SELECT `price` FROM `room` WHERE `id` = 1 FOR UPDATE;
-- session 2
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 3, '2027-03-02', 1);
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 5
SELECT `starts`, `ends` FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' ORDER BY `starts`;
-- session 1
UPDATE `booking` SET `state` = 'cancelled' WHERE `id` = 22 AND `state` = 'confirmed';
-- session 3
UPDATE `room` SET `price` = 80 WHERE `id` = 1;
-- session 1
START TRANSACTION;
-- session 3
COMMIT;
-- session 2
START TRANSACTION;
-- session 1
SELECT `id` FROM `room` WHERE `id` = 3 FOR UPDATE;
-- session 2
SELECT `id`, `email` FROM `guest` WHERE `id` = 10 AND `deleted_at` IS NULL;
-- session 1
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 3 AND `day` = '2027-02-02';
-- session 2
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 1 AND `state` = 'confirmed' AND `starts` < '2027-03-25' AND `ends` > '2027-03-24';
-- session 3
START TRANSACTION;
-- session 2
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (1, 10, '2027-03-24', '2027-03-25', 'confirmed');
-- session 1
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (3, 1, '2027-02-02', 24);
-- session 3
SELECT `price` FROM `room` WHERE `id` = 2 FOR UPDATE;
-- session 2
COMMIT;
-- session 1
COMMIT;
-- session 3
UPDATE `room` SET `price` = 109 WHERE `id` = 2;
COMMIT;
UPDATE `room` SET `check_ins` = `check_ins` + 1 WHERE `id` = 3;
-- session 2
START TRANSACTION;
SELECT `id`, `email` FROM `guest` WHERE `id` = 23 AND `deleted_at` IS NULL;
SELECT COUNT(*) FROM `booking` WHERE `room_id` = 4 AND `state` = 'confirmed' AND `starts` < '2027-02-03' AND `ends` > '2027-02-02';
INSERT INTO `booking` (`room_id`, `guest_id`, `starts`, `ends`, `state`) VALUES (4, 23, '2027-02-02', '2027-02-03', 'confirmed');
COMMIT;
START TRANSACTION;
SELECT COUNT(*) FROM `booking` WHERE `guest_id` = 24 AND `state` = 'confirmed';
UPDATE `guest` SET `deleted_at` = NOW() WHERE `id` = 24;
COMMIT;
START TRANSACTION;
SELECT `id` FROM `review` WHERE `room_id` = 3 AND `guest_id` = 11;
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (3, 11, 2);
COMMIT;
START TRANSACTION;
SELECT `id` FROM `review` WHERE `room_id` = 1 AND `guest_id` = 21;
ROLLBACK;
START TRANSACTION;
SELECT `id` FROM `room` WHERE `id` = 1 FOR UPDATE;
SELECT `desk` FROM `desk_booking` WHERE `room_id` = 1 AND `day` = '2027-03-03';
INSERT INTO `desk_booking` (`room_id`, `desk`, `day`, `guest_id`) VALUES (1, 1, '2027-03-03', 10);
COMMIT;
START TRANSACTION;
SELECT `id` FROM `review` WHERE `room_id` = 2 AND `guest_id` = 3;
INSERT INTO `review` (`room_id`, `guest_id`, `stars`) VALUES (2, 3, 1);
COMMIT;
