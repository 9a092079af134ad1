-- about: a forum with a shop; faults: a score that is set to a SUM of votes, a coupon whose uses are looked at before they are counted up, likes that are written back, an accepted answer that two choose; safe: lock_version on posts, counter_cache, votes by an upsert, a gift card with a condition, a badge by INSERT IGNORE, moderators under FOR UPDATE
-- schema: forum.ddl
-- at read-committed: lost update, stale read, phantom, read-only anomaly
-- first five at read-committed: coupons.uses, posts.accepted, posts.likes, posts.score
-- at snapshot-isolation: phantom, read-only anomaly
-- first five at snapshot-isolation: posts.accepted
-- never: gift_cards, badges, moderators
-- across transactions: none
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 3 ORDER BY `posts`.`id`;
-- session 4
BEGIN;
-- session 1
BEGIN;
-- session 2
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (6, 'helper');
-- session 5
UPDATE `gift_cards` SET `remaining` = `remaining` - 19 WHERE `code` = 'GIFT1' AND `remaining` >= 19;
-- session 1
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE6' LIMIT 1;
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (6, 8);
-- session 4
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (1, 'reply 750', 0, 0, 0, 0);
-- session 3
UPDATE `gift_cards` SET `remaining` = `remaining` - 23 WHERE `code` = 'GIFT1' AND `remaining` >= 23;
-- session 1
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 6;
COMMIT;
-- session 4
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 1;
-- session 2
BEGIN;
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (7, 5, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 3
BEGIN;
-- session 4
COMMIT;
-- session 1
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 3 ORDER BY `posts`.`id`;
-- session 2
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 7;
-- session 5
BEGIN;
-- session 2
UPDATE `posts` SET `posts`.`score` = 1 WHERE `posts`.`id` = 7;
-- session 3
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 392', 0, 0, 0, 0);
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 1
BEGIN;
-- session 3
COMMIT;
-- session 1
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 5
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 787', 0, 0, 0, 0);
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 5;
-- session 4
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 3;
-- session 2
COMMIT;
-- session 1
COMMIT;
-- session 4
BEGIN;
-- session 3
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 6;
-- session 5
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 1
BEGIN;
-- session 4
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 13;
-- session 2
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 6;
-- session 3
BEGIN;
-- session 1
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE2' LIMIT 1;
-- session 5
COMMIT;
-- session 1
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (2, 5);
-- session 3
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 3;
-- session 4
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 13;
-- session 1
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 2;
-- session 3
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 3;
-- session 4
COMMIT;
-- session 3
COMMIT;
-- session 1
COMMIT;
-- session 2
UPDATE `gift_cards` SET `remaining` = `remaining` - 24 WHERE `code` = 'GIFT4' AND `remaining` >= 24;
-- session 5
BEGIN;
-- session 3
BEGIN;
-- session 5
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 1 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 1 LIMIT 1;
-- session 1
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 4;
-- session 5
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 2;
-- session 2
BEGIN;
-- session 3
UPDATE `posts` SET `posts`.`body` = 'text 231', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 1 AND `posts`.`lock_version` = 0;
-- session 5
COMMIT;
-- session 2
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (1, 'reply 830', 0, 0, 0, 0);
-- session 4
BEGIN;
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 2 LIMIT 1;
-- session 3
COMMIT;
-- session 2
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 1;
-- session 4
UPDATE `posts` SET `posts`.`body` = 'text 917', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 2 AND `posts`.`lock_version` = 0;
-- session 2
COMMIT;
-- session 1
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (4, 'critic');
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 5
BEGIN;
-- session 2
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 3 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 1
BEGIN;
-- session 5
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE3' LIMIT 1;
-- session 2
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 5;
-- session 3
BEGIN;
-- session 4
BEGIN;
-- session 3
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 5
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (3, 2);
-- session 1
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 811', 0, 0, 0, 0);
-- session 2
COMMIT;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 9;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 15;
-- session 5
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 3;
COMMIT;
-- session 3
COMMIT;
-- session 2
BEGIN;
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 12;
-- session 5
BEGIN;
-- session 4
COMMIT;
-- session 1
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 2
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 12;
-- session 5
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 15 LIMIT 1;
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 3
BEGIN;
-- session 5
UPDATE `posts` SET `posts`.`body` = 'text 174', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 15 AND `posts`.`lock_version` = 0;
-- session 4
BEGIN;
-- session 5
COMMIT;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE4' LIMIT 1;
-- session 1
BEGIN;
-- session 4
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (4, 5);
-- session 3
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 14;
-- session 2
BEGIN;
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 8 LIMIT 1;
-- session 3
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 14;
-- session 1
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 1 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 4;
-- session 5
BEGIN;
-- session 1
ROLLBACK;
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 2
UPDATE `posts` SET `posts`.`body` = 'text 637', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 8 AND `posts`.`lock_version` = 0;
-- session 5
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 5;
-- session 4
BEGIN;
-- session 2
COMMIT;
-- session 4
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 10 LIMIT 1;
-- session 1
UPDATE `gift_cards` SET `remaining` = `remaining` - 7 WHERE `code` = 'GIFT1' AND `remaining` >= 7;
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 11;
-- session 3
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`body` = 'text 176', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 10 AND `posts`.`lock_version` = 0;
-- session 2
BEGIN;
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 4 LIMIT 1;
-- session 5
COMMIT;
-- session 1
BEGIN;
-- session 2
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 3 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 4
COMMIT;
-- session 3
UPDATE `posts` SET `posts`.`body` = 'text 806', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 4 AND `posts`.`lock_version` = 0;
COMMIT;
-- session 1
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 880', 0, 0, 0, 0);
-- session 2
ROLLBACK;
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 1
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 4
BEGIN;
-- session 3
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (2, 'critic');
-- session 5
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (12, 3, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 10;
-- session 1
COMMIT;
-- session 3
BEGIN;
-- session 4
COMMIT;
-- session 3
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (12, 9, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 12;
-- session 5
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 12;
-- session 2
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE6' LIMIT 1;
-- session 3
UPDATE `posts` SET `posts`.`score` = 1 WHERE `posts`.`id` = 12;
-- session 4
BEGIN;
-- session 2
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (6, 7);
-- session 4
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (5, 3, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 5
UPDATE `posts` SET `posts`.`score` = 1 WHERE `posts`.`id` = 12;
-- session 3
COMMIT;
-- session 2
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 6;
-- session 5
COMMIT;
-- session 4
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 5;
-- session 1
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`score` = -1 WHERE `posts`.`id` = 5;
-- session 1
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 1
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 4;
-- session 3
BEGIN;
-- session 1
COMMIT;
-- session 4
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 2;
-- session 5
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 1 ORDER BY `posts`.`id`;
-- session 3
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 15;
-- session 1
BEGIN;
-- session 4
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (6, 'helper');
-- session 3
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 15;
-- session 1
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (2, 'reply 763', 0, 0, 0, 0);
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 1
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 2;
-- session 4
BEGIN;
-- session 5
UPDATE `gift_cards` SET `remaining` = `remaining` - 12 WHERE `code` = 'GIFT2' AND `remaining` >= 12;
-- session 2
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 12 LIMIT 1;
-- session 1
COMMIT;
-- session 4
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 1 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 2
UPDATE `posts` SET `posts`.`body` = 'text 618', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 12 AND `posts`.`lock_version` = 0;
-- session 3
BEGIN;
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 4
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 2;
-- session 2
COMMIT;
-- session 3
ROLLBACK;
-- session 4
COMMIT;
-- session 1
BEGIN;
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 14 LIMIT 1;
-- session 2
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (3, 'helper');
-- session 5
BEGIN;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 1
UPDATE `posts` SET `posts`.`body` = 'text 476', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 14 AND `posts`.`lock_version` = 0;
-- session 5
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (9, 9, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 4
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (1, 'reply 740', 0, 0, 0, 0);
-- session 5
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 9;
-- session 2
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 243', 0, 0, 0, 0);
-- session 4
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 1;
-- session 3
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 1
BEGIN;
-- session 4
COMMIT;
-- session 3
ROLLBACK;
-- session 2
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 3
BEGIN;
-- session 1
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (2, 'reply 815', 0, 0, 0, 0);
-- session 5
UPDATE `posts` SET `posts`.`score` = 1 WHERE `posts`.`id` = 9;
-- session 3
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (3, 7, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 2
COMMIT;
-- session 1
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 2;
-- session 4
BEGIN;
-- session 3
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 3;
-- session 4
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 5
COMMIT;
-- session 3
UPDATE `posts` SET `posts`.`score` = 1 WHERE `posts`.`id` = 3;
COMMIT;
-- session 2
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (3, 'critic');
-- session 5
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 5;
-- session 4
ROLLBACK;
-- session 1
COMMIT;
-- session 5
BEGIN;
-- session 1
UPDATE `gift_cards` SET `remaining` = `remaining` - 1 WHERE `code` = 'GIFT3' AND `remaining` >= 1;
-- session 2
BEGIN;
-- session 5
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 3 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 2
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 14;
-- session 5
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 6;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 4
BEGIN;
-- session 5
COMMIT;
-- session 1
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (1, 7, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 1;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE3' LIMIT 1;
-- session 2
UPDATE `posts` SET `posts`.`likes` = 2 WHERE `posts`.`id` = 14;
-- session 3
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 1
UPDATE `posts` SET `posts`.`score` = -1 WHERE `posts`.`id` = 1;
-- session 5
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 4;
-- session 4
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (3, 3);
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 11;
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 3;
-- session 5
BEGIN;
-- session 4
COMMIT;
-- session 5
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 10;
-- session 1
BEGIN;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 2;
-- session 1
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (7, 6, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 5
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 10;
-- session 3
COMMIT;
-- session 2
BEGIN;
-- session 5
COMMIT;
-- session 4
BEGIN;
-- session 1
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 7;
-- session 4
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (1, 9, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 2
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 1
UPDATE `posts` SET `posts`.`score` = 2 WHERE `posts`.`id` = 7;
-- session 4
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 1;
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 3 ORDER BY `posts`.`id`;
-- session 4
UPDATE `posts` SET `posts`.`score` = 0 WHERE `posts`.`id` = 1;
-- session 5
BEGIN;
-- session 4
COMMIT;
BEGIN;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 9;
-- session 5
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 493', 0, 0, 0, 0);
-- session 1
COMMIT;
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 15;
-- session 5
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 10;
-- session 1
BEGIN;
-- session 5
COMMIT;
-- session 3
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 4;
-- session 1
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 3
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 8;
-- session 2
COMMIT;
-- session 1
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 3;
-- session 3
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 8;
-- session 4
COMMIT;
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 2
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 3 ORDER BY `posts`.`id`;
-- session 5
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (6, 'helper');
-- session 3
BEGIN;
-- session 4
BEGIN;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 4
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (1, 'reply 158', 0, 0, 0, 0);
-- session 3
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 785', 0, 0, 0, 0);
-- session 2
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (4, 'helper');
-- session 4
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 1;
-- session 3
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 5
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE1' LIMIT 1;
-- session 1
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (12, 9, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 5
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (1, 3);
-- session 4
COMMIT;
-- session 3
COMMIT;
-- session 2
BEGIN;
-- session 1
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 12;
-- session 5
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 1;
-- session 1
UPDATE `posts` SET `posts`.`score` = 0 WHERE `posts`.`id` = 12;
-- session 4
BEGIN;
-- session 5
COMMIT;
-- session 1
COMMIT;
-- session 2
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 3 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 3
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (5, 'helper');
-- session 4
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (14, 4, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 5
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (8, 'helper');
-- session 3
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 5;
-- session 4
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 14;
UPDATE `posts` SET `posts`.`score` = -1 WHERE `posts`.`id` = 14;
-- session 5
BEGIN;
-- session 2
ROLLBACK;
-- session 5
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 651', 0, 0, 0, 0);
-- session 1
BEGIN;
-- session 4
COMMIT;
-- session 1
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (1, 'reply 590', 0, 0, 0, 0);
-- session 5
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 4
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 5;
-- session 1
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 1;
-- session 5
COMMIT;
-- session 2
UPDATE `gift_cards` SET `remaining` = `remaining` - 17 WHERE `code` = 'GIFT1' AND `remaining` >= 17;
-- session 3
BEGIN;
-- session 5
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 3;
-- session 1
COMMIT;
-- session 3
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 4
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 3 ORDER BY `posts`.`id`;
-- session 2
BEGIN;
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 2;
-- session 1
BEGIN;
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 4
BEGIN;
-- session 5
BEGIN;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 4;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE7' LIMIT 1;
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (7, 5);
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 2;
-- session 5
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE6' LIMIT 1;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 13;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 4;
-- session 3
COMMIT;
-- session 5
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (6, 7);
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 7;
-- session 1
COMMIT;
-- session 5
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 6;
-- session 3
BEGIN;
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 6 LIMIT 1;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 7;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 3
UPDATE `posts` SET `posts`.`body` = 'text 663', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 6 AND `posts`.`lock_version` = 0;
-- session 1
BEGIN;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 2
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 4
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 14 LIMIT 1;
-- session 1
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 3
BEGIN;
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 9 LIMIT 1;
-- session 2
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 4;
-- session 4
UPDATE `posts` SET `posts`.`body` = 'text 903', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 14 AND `posts`.`lock_version` = 1;
-- session 3
UPDATE `posts` SET `posts`.`body` = 'text 246', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 9 AND `posts`.`lock_version` = 0;
-- session 5
COMMIT;
-- session 2
COMMIT;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 15;
-- session 3
COMMIT;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 6;
-- session 4
COMMIT;
-- session 5
BEGIN;
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (1, 'reply 504', 0, 0, 0, 0);
-- session 3
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 2;
-- session 1
COMMIT;
-- session 2
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (3, 'helper');
-- session 4
BEGIN;
-- session 3
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (3, 'helper');
-- session 5
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 1;
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 6;
-- session 2
BEGIN;
-- session 1
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 15;
-- session 2
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE3' LIMIT 1;
-- session 1
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE8' LIMIT 1;
-- session 5
COMMIT;
-- session 3
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (1, 'critic');
-- session 2
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (3, 4);
-- session 4
COMMIT;
-- session 2
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 3;
COMMIT;
-- session 3
BEGIN;
-- session 1
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (8, 3);
-- session 4
BEGIN;
-- session 3
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 149', 0, 0, 0, 0);
-- session 5
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (6, 'helper');
-- session 1
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 8;
-- session 2
BEGIN;
-- session 3
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 1
COMMIT;
-- session 4
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 10 LIMIT 1;
-- session 2
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (3, 8, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 5
BEGIN;
-- session 1
BEGIN;
-- session 3
COMMIT;
-- session 1
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (15, 5, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 4
UPDATE `posts` SET `posts`.`body` = 'text 804', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 10 AND `posts`.`lock_version` = 1;
-- session 2
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 3;
-- session 1
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 15;
-- session 5
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 5 LIMIT 1;
-- session 2
UPDATE `posts` SET `posts`.`score` = 0 WHERE `posts`.`id` = 3;
-- session 3
UPDATE `gift_cards` SET `remaining` = `remaining` - 9 WHERE `code` = 'GIFT2' AND `remaining` >= 9;
-- session 5
UPDATE `posts` SET `posts`.`body` = 'text 903', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 5 AND `posts`.`lock_version` = 0;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 1
UPDATE `posts` SET `posts`.`score` = 1 WHERE `posts`.`id` = 15;
-- session 3
BEGIN;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 5
COMMIT;
-- session 3
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 2
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE7' LIMIT 1;
-- session 5
BEGIN;
-- session 4
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 4 LIMIT 1;
-- session 5
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (2, 'reply 191', 0, 0, 0, 0);
-- session 1
BEGIN;
-- session 2
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (7, 5);
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 2;
-- session 4
UPDATE `posts` SET `posts`.`body` = 'text 799', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 4 AND `posts`.`lock_version` = 1;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 11;
-- session 1
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 9 LIMIT 1;
-- session 2
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 7;
-- session 5
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 2;
-- session 3
COMMIT;
-- session 2
COMMIT;
-- session 4
COMMIT;
-- session 5
COMMIT;
-- session 1
UPDATE `posts` SET `posts`.`body` = 'text 564', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 9 AND `posts`.`lock_version` = 1;
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 2
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (1, 'reply 5', 0, 0, 0, 0);
-- session 3
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (5, 6, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 7;
-- session 1
UPDATE `gift_cards` SET `remaining` = `remaining` - 15 WHERE `code` = 'GIFT1' AND `remaining` >= 15;
-- session 3
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 5;
-- session 5
BEGIN;
-- session 2
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 1;
-- session 1
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 2 ORDER BY `posts`.`id`;
-- session 2
COMMIT;
-- session 3
UPDATE `posts` SET `posts`.`score` = -2 WHERE `posts`.`id` = 5;
COMMIT;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 1;
-- session 5
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 1 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 1
BEGIN;
-- session 5
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 2;
-- session 2
UPDATE `gift_cards` SET `remaining` = `remaining` - 9 WHERE `code` = 'GIFT4' AND `remaining` >= 9;
-- session 4
COMMIT;
-- session 1
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (5, 8, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 3 ORDER BY `posts`.`id`;
-- session 4
BEGIN;
-- session 5
COMMIT;
-- session 1
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 5;
-- session 2
BEGIN;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE2' LIMIT 1;
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (2, 5);
-- session 1
UPDATE `posts` SET `posts`.`score` = -3 WHERE `posts`.`id` = 5;
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 2 ORDER BY `posts`.`id`;
-- session 2
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE7' LIMIT 1;
-- session 5
BEGIN;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 2;
-- session 2
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (7, 4);
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 7;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 5
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 5;
-- session 3
UPDATE `gift_cards` SET `remaining` = `remaining` - 21 WHERE `code` = 'GIFT1' AND `remaining` >= 21;
-- session 4
BEGIN;
-- session 5
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 5;
-- session 4
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (11, 2, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 1
COMMIT;
-- session 2
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 1 ORDER BY `posts`.`id`;
-- session 4
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 11;
-- session 5
COMMIT;
-- session 1
BEGIN;
-- session 2
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`score` = -1 WHERE `posts`.`id` = 11;
-- session 1
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 3
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 4;
-- session 2
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE8' LIMIT 1;
-- session 1
ROLLBACK;
-- session 4
COMMIT;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 4
BEGIN;
-- session 3
BEGIN;
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (7, 7, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 5
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 2
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (8, 4);
-- session 3
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 7;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE3' LIMIT 1;
-- session 1
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 11;
-- session 2
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 8;
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 15;
-- session 2
COMMIT;
-- session 3
UPDATE `posts` SET `posts`.`score` = 3 WHERE `posts`.`id` = 7;
-- session 4
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (3, 7);
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 15;
-- session 1
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 11;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 3;
-- session 3
COMMIT;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 5
COMMIT;
-- session 2
BEGIN;
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE5' LIMIT 1;
-- session 3
BEGIN;
-- session 2
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (5, 2);
-- session 4
BEGIN;
-- session 5
BEGIN;
-- session 3
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 10;
-- session 5
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 2
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 5;
-- session 4
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (4, 2, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 1
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (1, 1, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 1;
-- session 1
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 1;
-- session 3
UPDATE `posts` SET `posts`.`likes` = 2 WHERE `posts`.`id` = 10;
-- session 4
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 4;
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 13;
-- session 1
UPDATE `posts` SET `posts`.`score` = 1 WHERE `posts`.`id` = 1;
-- session 4
UPDATE `posts` SET `posts`.`score` = -1 WHERE `posts`.`id` = 4;
-- session 3
COMMIT;
-- session 5
COMMIT;
-- session 4
COMMIT;
-- session 1
COMMIT;
-- session 5
BEGIN;
-- session 2
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (8, 'helper');
-- session 5
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (13, 4, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 13;
-- session 2
BEGIN;
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 7;
-- session 5
UPDATE `posts` SET `posts`.`score` = -1 WHERE `posts`.`id` = 13;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 2
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 7;
-- session 5
COMMIT;
-- session 3
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE4' LIMIT 1;
-- session 1
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 2
COMMIT;
-- session 4
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (4, 2);
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 15;
-- session 2
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 2 ORDER BY `posts`.`id`;
-- session 3
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 3;
-- session 5
BEGIN;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 15;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 4;
-- session 3
COMMIT;
-- session 5
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 2
BEGIN;
-- session 4
COMMIT;
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 11;
-- session 1
COMMIT;
-- session 2
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE3' LIMIT 1;
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (3, 2);
-- session 1
UPDATE `gift_cards` SET `remaining` = `remaining` - 8 WHERE `code` = 'GIFT3' AND `remaining` >= 8;
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 5;
-- session 4
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 1 ORDER BY `posts`.`id`;
-- session 2
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 3;
-- session 5
COMMIT;
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 3
BEGIN;
-- session 1
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE6' LIMIT 1;
-- session 4
BEGIN;
-- session 3
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 9;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE4' LIMIT 1;
-- session 1
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (6, 6);
-- session 4
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (4, 8);
-- session 2
BEGIN;
-- session 5
UPDATE `gift_cards` SET `remaining` = `remaining` - 12 WHERE `code` = 'GIFT3' AND `remaining` >= 12;
-- session 3
UPDATE `posts` SET `posts`.`likes` = 1 WHERE `posts`.`id` = 9;
-- session 2
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 4;
-- session 3
COMMIT;
-- session 1
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 6;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 13;
-- session 5
UPDATE `gift_cards` SET `remaining` = `remaining` - 21 WHERE `code` = 'GIFT4' AND `remaining` >= 21;
-- session 1
COMMIT;
-- session 3
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 4;
-- session 4
COMMIT;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 4;
-- session 5
BEGIN;
-- session 3
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (3, 'helper');
-- session 4
BEGIN;
-- session 1
BEGIN;
-- session 5
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (1, 'reply 251', 0, 0, 0, 0);
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 2
COMMIT;
-- session 3
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 13;
-- session 3
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 5
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 1;
-- session 1
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (5, 6, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 1;
-- session 5
COMMIT;
-- session 1
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 5;
UPDATE `posts` SET `posts`.`score` = -1 WHERE `posts`.`id` = 5;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 15;
-- session 2
BEGIN;
-- session 4
COMMIT;
-- session 5
BEGIN;
-- session 1
COMMIT;
-- session 2
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (12, 3, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 5
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (2, 'reply 68', 0, 0, 0, 0);
-- session 2
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 12;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 15;
COMMIT;
-- session 5
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 2;
-- session 2
UPDATE `posts` SET `posts`.`score` = -2 WHERE `posts`.`id` = 12;
-- session 5
COMMIT;
-- session 2
COMMIT;
-- session 4
BEGIN;
-- session 1
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (1, 'helper');
-- session 3
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 1;
-- session 4
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 10;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`likes` = 3 WHERE `posts`.`id` = 10;
-- session 1
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE3' LIMIT 1;
-- session 2
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 1 ORDER BY `posts`.`id`;
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 14 LIMIT 1;
-- session 4
COMMIT;
-- session 1
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (3, 2);
-- session 5
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE1' LIMIT 1;
-- session 3
UPDATE `posts` SET `posts`.`body` = 'text 342', `posts`.`lock_version` = 3 WHERE `posts`.`id` = 14 AND `posts`.`lock_version` = 2;
COMMIT;
-- session 5
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (1, 1);
-- session 1
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 3;
-- session 5
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 1;
-- session 3
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 4;
-- session 4
BEGIN;
-- session 2
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 4;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE2' LIMIT 1;
-- session 3
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (2, 'critic');
-- session 1
COMMIT;
-- session 5
COMMIT;
-- session 2
BEGIN;
-- session 1
BEGIN;
-- session 2
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (2, 'reply 557', 0, 0, 0, 0);
-- session 1
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (2, 'reply 25', 0, 0, 0, 0);
-- session 5
UPDATE `gift_cards` SET `remaining` = `remaining` - 24 WHERE `code` = 'GIFT1' AND `remaining` >= 24;
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 3 ORDER BY `posts`.`id`;
-- session 4
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (2, 1);
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 2;
-- session 1
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 2;
-- session 2
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 2;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 3
BEGIN;
-- session 5
UPDATE `gift_cards` SET `remaining` = `remaining` - 25 WHERE `code` = 'GIFT4' AND `remaining` >= 25;
-- session 3
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 3 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 2
BEGIN;
-- session 1
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 1 ORDER BY `posts`.`id`;
-- session 3
ROLLBACK;
-- session 4
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (4, 'critic');
-- session 2
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 5
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 2 ORDER BY `posts`.`id`;
-- session 3
BEGIN;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 15;
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 6;
-- session 5
BEGIN;
-- session 1
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 2 ORDER BY `posts`.`id`;
-- session 4
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 4;
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 3 LIMIT 1;
-- session 2
COMMIT;
-- session 5
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 1 LIMIT 1;
UPDATE `posts` SET `posts`.`body` = 'text 646', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 1 AND `posts`.`lock_version` = 1;
-- session 3
UPDATE `posts` SET `posts`.`body` = 'text 957', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 3 AND `posts`.`lock_version` = 0;
COMMIT;
-- session 1
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 3 ORDER BY `posts`.`id`;
-- session 4
BEGIN;
-- session 5
COMMIT;
-- session 3
UPDATE `gift_cards` SET `remaining` = `remaining` - 28 WHERE `code` = 'GIFT1' AND `remaining` >= 28;
-- session 2
BEGIN;
-- session 1
BEGIN;
-- session 4
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 1 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 2
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 5 LIMIT 1;
-- session 4
ROLLBACK;
-- session 1
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 6;
-- session 2
UPDATE `posts` SET `posts`.`body` = 'text 597', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 5 AND `posts`.`lock_version` = 1;
-- session 5
BEGIN;
-- session 3
BEGIN;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 15;
-- session 3
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 5
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 15;
-- session 3
ROLLBACK;
-- session 2
COMMIT;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 4
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 13 LIMIT 1;
-- session 5
UPDATE `posts` SET `posts`.`likes` = 2 WHERE `posts`.`id` = 15;
-- session 3
BEGIN;
-- session 2
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`body` = 'text 593', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 13 AND `posts`.`lock_version` = 0;
-- session 1
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 2 ORDER BY `posts`.`id`;
-- session 3
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 7;
-- session 2
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 1 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 4
COMMIT;
-- session 5
COMMIT;
-- session 3
UPDATE `posts` SET `posts`.`likes` = 2 WHERE `posts`.`id` = 7;
-- session 1
BEGIN;
-- session 2
ROLLBACK;
-- session 3
COMMIT;
-- session 5
BEGIN;
-- session 1
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE7' LIMIT 1;
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (7, 4);
-- session 4
BEGIN;
-- session 5
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (3, 4, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 2
BEGIN;
-- session 1
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 7;
-- session 3
BEGIN;
-- session 5
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 3;
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 2
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 3
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (2, 'reply 776', 0, 0, 0, 0);
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 1;
-- session 1
COMMIT;
-- session 5
UPDATE `posts` SET `posts`.`score` = -1 WHERE `posts`.`id` = 3;
-- session 3
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 2;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 1;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 4;
-- session 3
COMMIT;
-- session 5
COMMIT;
-- session 4
COMMIT;
-- session 1
BEGIN;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 1;
-- session 1
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 13;
-- session 3
BEGIN;
-- session 2
COMMIT;
-- session 5
UPDATE `gift_cards` SET `remaining` = `remaining` - 7 WHERE `code` = 'GIFT4' AND `remaining` >= 7;
-- session 1
UPDATE `posts` SET `posts`.`likes` = 2 WHERE `posts`.`id` = 13;
-- session 2
BEGIN;
-- session 3
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 4
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (1, 'critic');
-- session 1
COMMIT;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 5;
-- session 2
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 1 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 5;
-- session 4
BEGIN;
-- session 1
BEGIN;
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 5
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 1 ORDER BY `posts`.`id`;
-- session 3
COMMIT;
-- session 2
ROLLBACK;
-- session 1
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 10 LIMIT 1;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 1;
-- session 1
UPDATE `posts` SET `posts`.`body` = 'text 351', `posts`.`lock_version` = 3 WHERE `posts`.`id` = 10 AND `posts`.`lock_version` = 2;
COMMIT;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 4;
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 3 ORDER BY `posts`.`id`;
-- session 4
COMMIT;
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 1
BEGIN;
-- session 5
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 463', 0, 0, 0, 0);
-- session 3
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 2;
-- session 1
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 5
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 2
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 5 LIMIT 1;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 5;
-- session 2
UPDATE `posts` SET `posts`.`body` = 'text 519', `posts`.`lock_version` = 3 WHERE `posts`.`id` = 5 AND `posts`.`lock_version` = 2;
-- session 3
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 4;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 2;
-- session 5
COMMIT;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 7;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 3
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (2, 'reply 295', 0, 0, 0, 0);
-- session 2
COMMIT;
-- session 1
BEGIN;
-- session 3
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 2;
-- session 2
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 5;
-- session 4
BEGIN;
-- session 5
BEGIN;
-- session 3
COMMIT;
-- session 1
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE1' LIMIT 1;
-- session 5
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 4
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 11 LIMIT 1;
-- session 2
BEGIN;
-- session 4
UPDATE `posts` SET `posts`.`body` = 'text 317', `posts`.`lock_version` = 1 WHERE `posts`.`id` = 11 AND `posts`.`lock_version` = 0;
-- session 1
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (1, 8);
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 1;
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 15;
-- session 2
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 5;
-- session 4
COMMIT;
-- session 2
UPDATE `posts` SET `posts`.`likes` = 2 WHERE `posts`.`id` = 5;
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 3;
-- session 3
BEGIN;
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 2
COMMIT;
-- session 1
COMMIT;
-- session 5
COMMIT;
-- session 3
ROLLBACK;
-- session 4
BEGIN;
-- session 2
BEGIN;
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (5, 9, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 2
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 5;
-- session 3
BEGIN;
-- session 1
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 1;
-- session 2
UPDATE `posts` SET `posts`.`score` = -2 WHERE `posts`.`id` = 5;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 2;
-- session 5
BEGIN;
-- session 3
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 4
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 2;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 2;
-- session 4
COMMIT;
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 5
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 15 LIMIT 1;
UPDATE `posts` SET `posts`.`body` = 'text 754', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 15 AND `posts`.`lock_version` = 1;
-- session 1
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 3
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 11;
-- session 4
BEGIN;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 3;
-- session 5
COMMIT;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 4
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 2 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 9;
-- session 2
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (1, 'reply 769', 0, 0, 0, 0);
-- session 1
COMMIT;
-- session 5
UPDATE `gift_cards` SET `remaining` = `remaining` - 20 WHERE `code` = 'GIFT5' AND `remaining` >= 20;
-- session 4
ROLLBACK;
-- session 2
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 1;
COMMIT;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 5
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 2 ORDER BY `posts`.`id`;
-- session 4
BEGIN;
-- session 1
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (8, 1, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 3
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 11 LIMIT 1;
-- session 2
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 1 ORDER BY `posts`.`id`;
-- session 1
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 8;
-- session 5
BEGIN;
-- session 1
UPDATE `posts` SET `posts`.`score` = -1 WHERE `posts`.`id` = 8;
-- session 3
UPDATE `posts` SET `posts`.`body` = 'text 286', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 11 AND `posts`.`lock_version` = 1;
-- session 5
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 3 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE2' LIMIT 1;
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 4
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (2, 5);
-- session 2
BEGIN;
-- session 5
ROLLBACK;
-- session 2
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 182', 0, 0, 0, 0);
-- session 1
BEGIN;
-- session 2
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 2;
-- session 2
COMMIT;
-- session 1
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 10;
-- session 4
COMMIT;
-- session 5
BEGIN;
-- session 1
UPDATE `posts` SET `posts`.`likes` = 4 WHERE `posts`.`id` = 10;
COMMIT;
-- session 5
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (12, 1, -1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 4
UPDATE `gift_cards` SET `remaining` = `remaining` - 26 WHERE `code` = 'GIFT3' AND `remaining` >= 26;
-- session 2
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (4, 'critic');
UPDATE `gift_cards` SET `remaining` = `remaining` - 25 WHERE `code` = 'GIFT4' AND `remaining` >= 25;
-- session 5
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 12;
-- session 1
BEGIN;
-- session 2
BEGIN;
-- session 1
INSERT INTO `posts` (`topic_id`, `body`, `lock_version`, `score`, `likes`, `accepted`) VALUES (3, 'reply 818', 0, 0, 0, 0);
-- session 2
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 8;
-- session 4
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (9, 'helper');
-- session 1
UPDATE `topics` SET `topics`.`posts_count` = COALESCE(`topics`.`posts_count`, 0) + 1 WHERE `topics`.`id` = 3;
COMMIT;
-- session 5
UPDATE `posts` SET `posts`.`score` = -3 WHERE `posts`.`id` = 12;
-- session 2
UPDATE `posts` SET `posts`.`likes` = 2 WHERE `posts`.`id` = 8;
-- session 5
COMMIT;
-- session 1
BEGIN;
-- session 4
BEGIN;
-- session 2
COMMIT;
-- session 1
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 3 AND `moderators`.`active` = 1 FOR UPDATE;
ROLLBACK;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE3' LIMIT 1;
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (3, 6);
-- session 5
BEGIN;
-- session 1
BEGIN;
-- session 2
BEGIN;
-- session 5
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 3 AND `moderators`.`active` = 1 FOR UPDATE;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 3;
-- session 1
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 2
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 9;
-- session 4
COMMIT;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 9;
-- session 5
ROLLBACK;
-- session 1
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 12;
-- session 4
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 3;
-- session 1
COMMIT;
-- session 5
SELECT `posts`.`id`, `posts`.`body`, `posts`.`score` FROM `posts` WHERE `posts`.`topic_id` = 1 ORDER BY `posts`.`id`;
-- session 4
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (5, 'helper');
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 6;
-- session 1
BEGIN;
-- session 5
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (9, 'critic');
-- session 1
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 4 LIMIT 1;
-- session 2
COMMIT;
-- session 1
UPDATE `posts` SET `posts`.`body` = 'text 366', `posts`.`lock_version` = 3 WHERE `posts`.`id` = 4 AND `posts`.`lock_version` = 2;
COMMIT;
-- session 5
BEGIN;
-- session 4
BEGIN;
-- session 5
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 2 AND `posts`.`accepted` = 1;
-- session 2
BEGIN;
-- session 1
BEGIN;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE2' LIMIT 1;
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 11;
-- session 2
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 12 LIMIT 1;
-- session 4
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (2, 9);
-- session 1
SELECT `moderators`.`id` FROM `moderators` WHERE `moderators`.`topic_id` = 1 AND `moderators`.`active` = 1 FOR UPDATE;
UPDATE `moderators` SET `moderators`.`active` = 0 WHERE `moderators`.`id` = 1;
-- session 5
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 2;
-- session 1
COMMIT;
-- session 2
UPDATE `posts` SET `posts`.`body` = 'text 679', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 12 AND `posts`.`lock_version` = 1;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 2;
-- session 5
COMMIT;
-- session 2
COMMIT;
-- session 4
COMMIT;
-- session 5
BEGIN;
-- session 1
BEGIN;
-- session 5
INSERT INTO `votes` (`post_id`, `user_id`, `value`) VALUES (11, 9, 1) ON DUPLICATE KEY UPDATE `value` = VALUES(`value`);
-- session 4
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 2;
-- session 2
BEGIN;
-- session 5
SELECT COALESCE(SUM(`votes`.`value`), 0) FROM `votes` WHERE `votes`.`post_id` = 11;
-- session 1
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE3' LIMIT 1;
-- session 4
BEGIN;
SELECT `posts`.`id`, `posts`.`body`, `posts`.`lock_version` FROM `posts` WHERE `posts`.`id` = 13 LIMIT 1;
-- session 2
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 3 AND `posts`.`accepted` = 1;
-- session 5
UPDATE `posts` SET `posts`.`score` = 0 WHERE `posts`.`id` = 11;
-- session 1
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (3, 3);
-- session 4
UPDATE `posts` SET `posts`.`body` = 'text 953', `posts`.`lock_version` = 2 WHERE `posts`.`id` = 13 AND `posts`.`lock_version` = 1;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 6;
-- session 4
COMMIT;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 3;
-- session 1
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 3;
-- session 2
COMMIT;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 5
COMMIT;
-- session 2
BEGIN;
-- session 4
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE1' LIMIT 1;
-- session 1
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 6;
-- session 5
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (6, 'critic');
-- session 4
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (1, 5);
-- session 2
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
-- session 4
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 1;
-- session 5
UPDATE `gift_cards` SET `remaining` = `remaining` - 7 WHERE `code` = 'GIFT4' AND `remaining` >= 7;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 7;
-- session 1
BEGIN;
-- session 4
COMMIT;
-- session 5
UPDATE `moderators` SET `moderators`.`active` = 1 WHERE `moderators`.`id` = 4;
-- session 2
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 1;
-- session 1
SELECT `coupons`.`id`, `coupons`.`uses`, `coupons`.`max_uses` FROM `coupons` WHERE `coupons`.`code` = 'CODE8' LIMIT 1;
-- session 5
INSERT IGNORE INTO `badges` (`user_id`, `name`) VALUES (9, 'critic');
-- session 2
COMMIT;
-- session 1
INSERT INTO `redemptions` (`coupon_id`, `user_id`) VALUES (8, 3);
-- session 4
BEGIN;
-- session 1
UPDATE `coupons` SET `coupons`.`uses` = `coupons`.`uses` + 1 WHERE `coupons`.`id` = 8;
-- session 4
SELECT `posts`.`id` FROM `posts` WHERE `posts`.`topic_id` = 1 AND `posts`.`accepted` = 1;
UPDATE `posts` SET `posts`.`accepted` = 0 WHERE `posts`.`id` = 1;
UPDATE `posts` SET `posts`.`accepted` = 1 WHERE `posts`.`id` = 4;
-- session 1
COMMIT;
-- session 4
COMMIT;
BEGIN;
SELECT `posts`.`likes` FROM `posts` WHERE `posts`.`id` = 3;
UPDATE `posts` SET `posts`.`likes` = 2 WHERE `posts`.`id` = 3;
COMMIT;
